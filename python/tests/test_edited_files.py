"""Is a model file that was damaged or edited refused, and read on request?"""

import pytest

import ternwood
from ternwood import TernaryForestClassifier, TernaryTreeClassifier


@pytest.fixture
def tree(iris):
    return TernaryTreeClassifier(max_depth=3).fit(*iris)


@pytest.fixture
def forest(iris):
    return TernaryForestClassifier(n_estimators=3, max_depth=2, random_state=1).fit(*iris)


def test_an_edited_document_is_read_only_on_request(tree, tmp_path):
    edited = tree.to_json().replace('"max_depth":3', '"max_depth":4')
    with pytest.raises(ValueError, match=r"accept the edit with accept_edited=True"):
        ternwood.loads(edited)
    (tmp_path / "edited.json").write_text(edited)
    with pytest.raises(ValueError, match=r"edited\.json: not a usable model file: it was damaged"):
        ternwood.load(tmp_path / "edited.json")
    for again in (
        ternwood.loads(edited, accept_edited=True),
        ternwood.load(tmp_path / "edited.json", accept_edited=True),
    ):
        # Written again, it is a file like any other.
        assert ternwood.loads(again.to_json()).to_json() == again.to_json() != tree.to_json()


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_a_flipped_bit_in_a_number_is_noticed(kind, request, tmp_path):
    clf = request.getfixturevalue(kind)
    path = tmp_path / "model"
    clf.save(path)
    file = bytearray(path.read_bytes())
    # The impurity of the last leaf, and the last bytes of the last array.
    place = file.rindex(b'"impurity":') + 13 if kind == "tree" else len(file) - 1
    file[place] ^= 1
    path.write_bytes(file)
    with pytest.raises(ValueError, match="not a usable model file"):
        ternwood.load(path)
