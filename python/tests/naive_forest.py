"""A forest's answers, computed in the plainest way from the arrays of its trees."""

import numpy as np

LEAST_SHARE = 1 / 1024


def walk(tree, row):
    """Return a tree's distribution of a row of numbers, and its class unless it is undecided."""
    shares, probabilities, decided = [(0, 1.0)], 0.0, True
    while shares:
        node, share = shares.pop()
        if tree.children_left[node] < 0:
            probabilities = probabilities + share * tree.value[node].ravel()
            continue
        x, threshold = row[tree.feature[node]], tree.threshold[node]
        width = tree.half_width[node] if share >= LEAST_SHARE else 0.0
        left, right = tree.children_left[node], tree.children_right[node]
        if threshold - width < x <= threshold + width and width > 0:
            decided = False
            weight = (threshold + width - x) / (2 * width)
            shares += [(left, share * weight), (right, share - share * weight)]
        else:
            shares.append((left if x <= threshold else right, share))
    return probabilities, int(np.argmax(probabilities)) if decided else None


def sharpened(means, exponent):
    """Raise means to a power and make them add up to 1, a thousandth nearer to equal shares."""
    if exponent is None:
        return means
    powers = (0.999 * means + 0.001 / means.shape[-1]) ** exponent
    return powers / powers.sum(axis=-1, keepdims=True)


def answers(forest, X):
    """Return the distributions of all trees, (n_trees, n_rows, n_classes), and their classes."""
    found = [[walk(tree.tree_, row) for row in X] for tree in forest.estimators_]
    distributions = np.array([[probabilities for probabilities, _ in rows] for rows in found])
    return distributions, [[decided for _, decided in rows] for rows in found]
