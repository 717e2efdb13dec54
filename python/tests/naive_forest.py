"""A forest's answers, computed in the plainest way from the arrays of its trees."""

import numpy as np

LEAST_SHARE = 1 / 4


def divided(share, x, threshold, width):
    """Return the parts of a share that a zone sends left and right; None outside of the zone."""
    if width == 0 or not threshold - width < x <= threshold + width:
        return None
    left = share * min(1.0, (threshold + width - x) / (2 * width))
    return left, share - left


def walk(tree, row):
    """Return a tree's distribution of a row of numbers, its class, and the nodes that are unsure.

    The class is None if the tree is undecided; nodes are those that the row meets on its way.
    """
    shares, probabilities, unsure = [(0, 1.0)], 0.0, []
    while shares:
        node, share = shares.pop()
        if tree.children_left[node] < 0:
            probabilities = probabilities + share * tree.value[node].ravel()
            continue
        x, threshold = row[tree.feature[node]], tree.threshold[node]
        left, right = tree.children_left[node], tree.children_right[node]
        parts = divided(share, x, threshold, tree.half_width[node])
        if parts is not None:
            unsure.append(node)
        if parts is not None and min(parts) >= LEAST_SHARE:
            shares += [(left, parts[0]), (right, parts[1])]
        else:
            shares.append((left if x <= threshold else right, share))
    return probabilities, None if unsure else int(np.argmax(probabilities)), unsure


def sharpened(means, exponent):
    """Raise means to a power and make them add up to 1, a thousandth nearer to equal shares."""
    if exponent == "off":
        return means
    powers = (0.999 * means + 0.001 / means.shape[-1]) ** exponent
    return powers / powers.sum(axis=-1, keepdims=True)


def answers(forest, X):
    """Return the distributions of all trees, (n_trees, n_rows, n_classes), and their classes."""
    found = [[walk(tree.tree_, row) for row in X] for tree in forest.estimators_]
    distributions = np.array([[probabilities for probabilities, *_ in rows] for rows in found])
    return distributions, [[decided for _, decided, _ in rows] for rows in found]
