"""Graphs from every kind of input, and what is refused, with the line that it is about."""

import numpy as np
import pytest
from scipy.io import mmread, mmwrite
from scipy.sparse import coo_array, csr_array, save_npz
from scipy.sparse.csgraph import dijkstra

import littlestone as ls
from littlestone.graphs.algorithms.graph import from_edges, matrix
from littlestone.graphs.algorithms.graph_files import market_matrix
from littlestone.graphs.algorithms.layout import layout
from littlestone.graphs.algorithms.neighbourhoods import from_points, neighbours_of


def edges(graph):
    return [(int(a), int(b), float(w)) for a, b, w in zip(*graph.pairs(), strict=True)]


SQUARE = [(0, 1, 1.0), (0, 3, 2.0), (1, 2, 1.0), (2, 3, 1.0)]


def test_a_graph_is_symmetric_and_sorted():
    g = from_edges([(2, 1), (3, 0, 2.0), (2, 3), (1, 0)], 4)
    assert edges(g) == SQUARE
    assert (g.n, g.edges, g.degree.tolist()) == (4, 4, [3.0, 2.0, 2.0, 3.0])
    assert g.neighbours(3).tolist() == [0, 2]
    M = matrix(g)
    assert (M != M.T).nnz == 0
    assert repr(g) == "<Graph: 4 vertices, 4 edges>"
    assert g.components[0] == 1
    assert from_edges([(0, 1)], 4).components[0] == 3


@pytest.mark.parametrize("split", [",", "\t", " ", "   "])
@pytest.mark.parametrize("title", ["", "id_1{}id_2{}weight\n", "# a comment\n\n"])
def test_lists_of_edges(tmp_path, split, title):
    file = tmp_path / "edges.txt"
    rows = [("ann", "bob", "2"), ("bob", "eve", "0.5"), ("bob", "ann", "2")]
    file.write_text(
        title.format(split, split) + "\n".join(split.join(row) for row in rows) + "\n",
        encoding="utf-8",
    )
    g = ls.graph(file)
    assert g.names == ["ann", "bob", "eve"]
    assert edges(g) == [(0, 1, 2.0), (1, 2, 0.5)]
    assert g.numbers(["eve", "ann"]).tolist() == [2, 0]


def test_titles_above_numbers_and_without_weights(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("paper,cites\n17,4\n4,99\n", encoding="utf-8")
    g = ls.graph(str(file))
    assert g.names == ["17", "4", "99"]
    assert g.numbers([99, 17.0, "4"]).tolist() == [2, 0, 1]


def test_names_that_are_the_numbers_of_vertices():
    g = from_edges([(2, 1), ("0", 1.0)])
    assert edges(g) == [(0, 1, 1.0), (1, 2, 1.0)]
    assert len(g.ends) == 0
    assert g.names == ["0", "1", "2"]
    assert from_edges([(1, 2), (2, 3)]).names == ["1", "2", "3"]


def test_matrices_and_their_files(tmp_path):
    g = from_edges(SQUARE, 4)
    M = matrix(g)
    assert edges(ls.graph(M)) == edges(ls.graph(M.toarray())) == SQUARE
    save_npz(tmp_path / "g.npz", csr_array(M))
    np.savez(tmp_path / "h.npz", data=M.data, indices=M.indices, indptr=M.indptr, shape=M.shape)
    mmwrite(tmp_path / "g.mtx", coo_array(M))
    for name in ("g.npz", "h.npz", "g.mtx"):
        assert edges(ls.graph(tmp_path / name)) == SQUARE
    directed = np.zeros((4, 4))
    directed[0, 1], directed[1, 0], directed[2, 3] = 1.0, 3.0, 5.0
    assert edges(ls.graph(directed)) == [(0, 1, 3.0), (2, 3, 5.0)]
    assert edges(ls.graph(directed, symmetrise="mutual")) == [(0, 1, 1.0)]


SMALL = np.array([[0.0, 1.0, 1.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.5]])


def test_a_small_square_array_is_a_matrix_or_edges_as_is_said():
    as_edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 0.5)]
    as_matrix = [(0, 1, 2.0), (0, 2, 1.0), (1, 2, 2.0)]
    assert edges(ls.graph(SMALL, form="edges")) == as_edges
    assert edges(ls.graph(SMALL, n=3)) == as_edges
    assert edges(ls.graph(SMALL.tolist())) == as_edges  # a list is a list of edges
    for said in ({"form": "matrix"}, {"symmetrise": "union"}):
        assert edges(ls.graph(SMALL, loops="drop", **said)) == as_matrix
        with pytest.raises(ls.BadInput, match="row 2, column 2: an edge from a vertex to itself"):
            ls.graph(SMALL, **said)
    assert edges(ls.graph(SMALL.tolist(), form="matrix", loops="drop")) == as_matrix
    with pytest.raises(ls.BadInput, match='form must be "matrix" or "edges", not \'list\''):
        ls.graph(SMALL, form="list")


@pytest.mark.parametrize(
    "array", [SMALL, SMALL.astype(int), [[0, 5], [5, 0]], [[0, 1], [1, 2]], [[0, 1], [2, 0]]]
)
def test_what_may_be_a_matrix_or_edges_is_refused(array):
    array = np.array(array)
    with pytest.raises(ls.BadInput, match=r"may be a matrix of weights, or . edges"):
        ls.graph(array)


def test_small_arrays_that_can_be_one_thing_only_are_read():
    path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    assert edges(ls.graph(path)) == [(0, 1, 1.0), (1, 2, 2.0)]  # an edge has no weight 0
    pair = np.array([[0, 1], [1, 0]])
    assert edges(ls.graph(pair)) == edges(ls.graph(pair, form="edges")) == [(0, 1, 1.0)]
    assert ls.graph(np.array([["a", "b"], ["b", "c"]])).names == ["a", "b", "c"]
    assert edges(ls.graph(np.array([[0, 1], [1, 2], [2, 3]]))) == [
        (0, 1, 1.0),
        (1, 2, 1.0),
        (2, 3, 1.0),
    ]


class Nodes:
    """What networkx offers, as far as it is used."""

    nodes = ("a", "b", "c")

    def edges(self, data):
        assert data
        return [("a", "b", {"weight": 2.0}), ("b", "c", {})]


def test_graphs_of_networkx():
    g = ls.graph(Nodes())
    assert (g.names, edges(g)) == (["a", "b", "c"], [(0, 1, 2.0), (1, 2, 1.0)])
    assert ls.learner("spine", graph=Nodes()).vocabulary.number("c") == 2
    numbered = Nodes()
    numbered.nodes, numbered.edges = (0, 1), lambda data: [(0, 1, {})]
    assert len(ls.graph(numbered).ends) == 0  # vertices that are numbered have no other names
    numbered.edges = lambda data: [(0, 1, {"weight": "x"})]
    with pytest.raises(ls.BadInput, match="edge 0 - 1: the weight 'x' is not a number"):
        ls.graph(numbered)


def test_files_that_networkx_reads(tmp_path):
    networkx = pytest.importorskip("networkx")
    there = networkx.Graph([("ann", "bob"), ("bob", "eve")])
    networkx.write_graphml(there, tmp_path / "g.graphml")
    networkx.write_gml(there, tmp_path / "g.gml")
    for name in ("g.graphml", "g.gml"):
        assert ls.graph(tmp_path / name).names == ["ann", "bob", "eve"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nb,b\n", "edges.csv, line 2: an edge from 'b' to itself"),
        ("a,b,1\nb,c,-2\n", "line 2: the weight of an edge is a number above 0, not -2"),
        ("a,b,1\n\nb,c,nan\n", "line 3: the weight of an edge is a number above 0, not nan"),
        ("a,b,1\nb,c,x\n", "line 2: the weight 'x' is not a number"),
        ("a,b,1\nb\n", "line 2: an edge is two vertices"),
        ("a,b,1\nb,c,2,3\n", "line 2: .*4 fields"),
        ("a,b,1\nb,a,2\n", "line 2: the edge 'b' - 'a' was there before, at edges.csv, line 1"),
        ("# nothing\n", "holds no edge"),
        ("a,b\n,c\n", "line 2: the first vertex of the edge has no name"),
        ("a,b,1\nb,c,\n", "line 2: the weight '' is not a number"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, message):
    file = tmp_path / "edges.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ls.BadInput, match=message):
        ls.graph(file)


@pytest.mark.parametrize(
    ("text", "names", "count"),
    [
        ("a,b\nb,c\n", ["a", "b", "c"], 2),  # its first line is an edge, not a line of titles
        ("a,b\r\nc,d\r\n", ["a", "b", "c", "d"], 2),
        ("source,x\nx,source\nx,y\n", ["source", "x", "y"], 2),
        ("u,v\nann,bob\n", ["ann", "bob"], 1),
        ("u\tv\tw\n5\t7\t1.5\n", ["5", "7"], 1),
        ("\ufeffid_1;id_2\n5;7\n7;9\n", ["5", "7", "9"], 2),
        ('"Doe, A","Smith, J"\n"Smith, J",bob\n', ["Doe, A", "Smith, J", "bob"], 2),
        (
            "New York,Los Angeles\nLos Angeles,San Jose\n",
            ["New York", "Los Angeles", "San Jose"],
            2,
        ),
    ],
)
def test_the_first_line_and_what_splits_fields(tmp_path, text, names, count):
    file = tmp_path / "edges.csv"
    file.write_text(text, encoding="utf-8")
    g = ls.graph(file)
    assert (g.names, g.edges) == (names, count)


def test_frames_of_edges():
    pandas, polars, arrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    columns = {"id_1": ["ann", "bob"], "id_2": ["bob", "eve"], "weight": [1.0, 2.5]}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns), arrow.table(columns)):
        g = ls.graph(frame)
        assert (g.names, edges(g)) == (["ann", "bob", "eve"], [(0, 1, 1.0), (1, 2, 2.5)])
    columns["id_2"][1] = None
    with pytest.raises(ls.BadInput, match="edge 2: the second vertex of the edge has no name"):
        ls.graph(pandas.DataFrame(columns))


def test_a_vertex_with_nothing_but_a_loop_is_a_vertex():
    g = ls.graph([("ann", "bob"), ("eve", "eve")], loops="drop")
    assert (g.names, g.edges) == (["ann", "bob", "eve"], 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3 3 2\n2 1 1.0\n3 2 -2.5\n", "g.mtx, line 4: the weight of an edge is above 0, not -2.5"),
        (
            "% size\n3 3 2\n2 1 nan\n3 2 1\n",
            "g.mtx, line 4: the weight of an edge is above 0, not nan",
        ),
        ("3 3 1\n2 2 1.0\n", "g.mtx, line 3: an edge from a vertex to itself"),
        ("3 3 1\n2 9 1.0\n", "entry 1 is '2 9 1.0', outside of 3 rows and 3 columns"),
        (
            "3 4 1\n2 1 1.0\n",
            r"g.mtx: the weights of a graph are a square matrix, not of shape \(3, 4\)",
        ),
    ],
)
def test_a_bad_line_of_a_matrix_is_named(tmp_path, text, message):
    file = tmp_path / "g.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n" + text, encoding="utf-8")
    with pytest.raises(ls.BadInput, match=message):
        ls.graph(file)
    file.write_text(
        "%%MatrixMarket matrix coordinate complex general\n2 2 1\n2 1 1 1\n", encoding="utf-8"
    )
    with pytest.raises(ls.BadInput, match=r"g\.mtx: .*not coordinate of complex ones"):
        ls.graph(file)


def test_sparse_matrices_of_any_format(tmp_path):
    M = matrix(from_edges(SQUARE, 4))
    for made in (M.tocoo(), M.tocsc(), M.tolil(), M.todok()):
        assert edges(ls.graph(made)) == SQUARE
    for made in (M.tocoo(), M.tocsc()):
        save_npz(tmp_path / "g.npz", made)
        assert edges(ls.graph(tmp_path / "g.npz")) == SQUARE
    np.savez(tmp_path / "dense.npz", adjacency=M.toarray())
    with pytest.raises(ls.BadInput, match=r"dense\.npz has no array 'data'"):
        ls.graph(tmp_path / "dense.npz")
    M.data[0] = np.nan
    save_npz(tmp_path / "g.npz", M)
    with pytest.raises(ls.BadInput, match=r"g\.npz, row 0, column 1: the weight of an edge"):
        ls.graph(tmp_path / "g.npz")


def test_other_bad_input(tmp_path):
    for given, message in [
        (np.array([[0.0, -1.0, 0], [-1.0, 0, 0], [0, 0, 0]]), "row 0, column 1"),
        (csr_array(np.diag([1.0, 0.0])), "row 0, column 0: an edge from a vertex to itself"),
        (csr_array((2, 3)), "square"),
        (tmp_path / "none.csv", "is not a file"),
        (7, "a graph is a path"),
    ]:
        with pytest.raises(ls.BadInput, match=message):
            ls.graph(given)
    with pytest.raises(ls.BadInput, match="there is no vertex 4; they are numbered from 0 to 3"):
        from_edges([(0, 1), (1, 4)], 4)
    with pytest.raises(ls.BadInput, match="row 2: 'zoe' is not a vertex"):
        from_edges([("ann", "bob")]).numbers(["ann", "zoe"])
    with pytest.raises(ls.BadInput, match="k: only graphs of points"):
        ls.graph([(0, 1)], k=3)
    with pytest.raises(ls.BadInput, match="kk: a graph of points takes k, radius"):
        ls.graph([[0.0], [1.0]], "knn", kk=3)
    (tmp_path / "bad.npz").write_bytes(b"PK nothing")
    with pytest.raises(ls.BadInput, match=r"bad\.npz cannot be read"):
        ls.graph(tmp_path / "bad.npz")
    assert edges(ls.graph([(0, 1), (1, 1)], n=2, loops="drop")) == [(0, 1, 1.0)]


# Points.

BOW_TIE = [(-2, 0), (-1, -1), (0, 0), (1, 1), (2, 0)]


def test_nearest_neighbours():  # W27
    union = from_points(BOW_TIE, "knn", k=2)
    assert [e[:2] for e in edges(union)] == [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)]
    mutual = from_points(BOW_TIE, "knn", k=2, symmetrise="mutual")
    assert [e[:2] for e in edges(mutual)] == [(0, 1), (1, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize("d", [3, 20])
def test_neighbours_in_few_and_many_dimensions(d):
    P = np.random.default_rng(d).normal(size=(60, d))
    g = from_points(P, k=4)
    D = ((P[:, None] - P[None]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1)[:, :4]
    wanted = {(min(i, int(j)), max(i, int(j))) for i in range(60) for j in near[i]}
    assert {e[:2] for e in edges(g)} == wanted


def test_points_on_top_of_each_other_are_joined():
    P = [[0.0, 0.0]] * 3 + [[1.0, 0.0]] * 2
    for pattern, options in (("knn", {"k": 2}), ("radius", {"radius": 0.5}), ("mst", {})):
        g = from_points(P, pattern, weight="gaussian", **options)
        assert g.weight.max() == 1.0
        assert {0, 1, 2} <= set(g.neighbours(0).tolist()) | {0} | set(g.neighbours(1).tolist())
    assert from_points(P, "mst").components[0] == 1
    assert from_points(P, "radius", radius=0.5).components[0] == 2
    assert from_points(P, "radius", radius=0.5, ensure_connected=True).components[0] == 1
    assert from_points(P, "complete").edges == 10


def test_the_shortest_tree_is_the_shortest():
    from scipy.sparse.csgraph import minimum_spanning_tree

    P = np.random.default_rng(0).normal(size=(40, 2))
    g = from_points(P, "mst", weight=lambda d: d)
    D = np.sqrt(((P[:, None] - P[None]) ** 2).sum(axis=2))
    assert g.edges == 39
    assert g.pairs()[2].sum() == pytest.approx(minimum_spanning_tree(D).sum())


def test_shortest_paths_from_a_root():  # A6.4
    P = np.random.default_rng(1).normal(size=(30, 2))
    g = from_points(P, "spt", k=4, root=7, weight=lambda d: d + 1e-9)
    whole = from_points(P, "knn", k=4, weight=lambda d: d + 1e-9, ensure_connected=True)
    assert (g.edges, g.components[0]) == (29, 1)
    far = dijkstra(matrix(whole), False, 7)
    assert dijkstra(matrix(g), False, 7) == pytest.approx(far)
    assert from_points([[0.0], [0.0], [1.0]], "spt", k=1).edges == 2
    with pytest.raises(
        ls.BadInput, match="root must be the number of a point, from 0 to 29, not 30"
    ):
        from_points(P, "spt", root=30)


def test_pictures_of_graphs():
    at = layout(from_edges([(0, 1), (1, 2), (2, 0), (3, 4)], 5))
    assert (at >= 0.0).all()
    assert (at <= 1.0).all()
    near = np.linalg.norm(at[0] - at[1])
    assert near < np.linalg.norm(at[0] - at[3])
    with pytest.raises(ls.BadInput, match="up to 400 vertices"):
        layout(from_edges([(i, i + 1) for i in range(500)], 501))


def test_weights_from_distances():
    g = from_points([[0.0], [2.0]], "complete", weight="exponential", scale=0.5)
    assert g.weight[0] == pytest.approx(np.exp(-1.0))
    g = from_points([[0.0], [2.0]], "complete", weight="gaussian", scale=0.5)
    assert g.weight[0] == pytest.approx(np.exp(-2.0))
    g = from_points([[0.0], [1.0], [3.0], [7.0]], k=1, weight="local")  # the nearest of 1 is 0
    assert [(a, b, round(w, 6)) for a, b, w in zip(*g.pairs(), strict=True)] == [
        (0, 1, round(np.exp(-4.0), 6)),
        (1, 2, round(np.exp(-4.0) / 2, 6)),
        (2, 3, round(np.exp(-4.0) / 2, 6)),
    ]
    with pytest.raises(ls.BadInput, match='"local" is for pattern="knn"'):
        from_points([[0.0], [1.0]], "complete", weight="local")
    with pytest.raises(ls.BadInput, match="points 0 and 1, 0 apart"):
        from_points([[0.0], [0.0]], "complete", weight=lambda d: d)
    for options, message in [
        ({"k": 2}, "k must be"),
        ({"pattern": "radius"}, "radius must be"),
        ({"pattern": "star"}, "pattern must be"),
        ({"k": 1, "weight": "w"}, "weight must be"),
    ]:
        with pytest.raises(ls.BadInput, match=message):
            from_points([[0.0], [1.0]], **options)
    with pytest.raises(ls.BadInput, match="row 2, column 1: nan"):
        from_points([[0.0], [np.nan]])


def test_of_points_equally_far_those_with_smaller_numbers_are_neighbours():
    X = np.zeros((40, 20))  # more coordinates than a tree of places is used for
    X[np.arange(1, 40), np.arange(1, 40) % 20] = 1.0  # all of them are 1 away from the first
    assert neighbours_of(X, 5)[0].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`:DeprecationWarning")
def test_a_matrix_is_read_as_scipy_reads_it(tmp_path, symmetry, full):
    rng = np.random.default_rng(0)
    for n in range(1, 8):
        M = (rng.random((n, n)) < 0.5) * rng.normal(size=(n, n)).round(3)
        M = M + M.T if symmetry == "symmetric" else M
        file = tmp_path / "g.mtx"
        mmwrite(file, M if full else coo_array(M), symmetry=symmetry)
        there = mmread(file)
        assert (market_matrix(file).toarray() == (there if full else there.toarray())).all()


MARKET = "%%MatrixMarket matrix "


@pytest.mark.parametrize(
    ("text", "message"),
    [  # SciPy's reader crashes on the first two, and takes gigabytes for the third
        (f"{MARKET}array real general\n2 2\n0\n1 1\n0\n1 1\n", "entry 2 is '1 1'"),
        (f"{MARKET}coordinate real general\n2 2 2\n1 2\n1 2 1 2 1\n", "entry 1 is '1 2'"),
        (f"{MARKET}coordinate real general\n900000000 900000000 1\n1 2 1\n", "speaks of 900000000 rows"),
        (f"{MARKET}coordinate real general\n2 2 99999999\n1 2 1\n", "and there are 1 entries"),
        (f"{MARKET}coordinate real general\n2 2 1\n1 99999999999999999999 1\n", "is not a MatrixMarket file"),
        (f"{MARKET}coordinate real general\n2 x 1\n1 2 1\n", "its sizes are '2 x 1'"),
        (f"{MARKET}coordinate real hermitian\n2 2 1\n1 2 1\n", "is hermitian; a graph is general or symmetric"),
        ("%%MatrixMarket\n", "it begins with '%%MatrixMarket'"),
        ("", "it begins with ''"),
    ],
)  # fmt: skip
def test_a_damaged_matrix_is_refused_in_little_memory(tmp_path, text, message):
    file = tmp_path / "g.mtx"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ls.BadInput, match=message):
        ls.graph(file)


def test_a_damaged_npz_is_refused_and_closed(tmp_path):
    save_npz(tmp_path / "g.npz", matrix(from_edges(SQUARE, 4)).tocsr())
    content = bytearray((tmp_path / "g.npz").read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 250  # the version of the archive
    (tmp_path / "g.npz").write_bytes(content)
    with pytest.raises(ls.BadInput, match=r"cannot be read as \.npz: zip file version"):
        ls.graph(tmp_path / "g.npz")
