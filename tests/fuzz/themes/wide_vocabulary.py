"""All themes, and how those that a program has drawn widen what it is drawn from."""

from collections.abc import Iterable
from dataclasses import replace

from tests.fuzz.draw import Draw, Form
from tests.fuzz.themes.attempts_theme import ATTEMPTS
from tests.fuzz.themes.columns_theme import COLUMNS
from tests.fuzz.themes.complex import COMPLEX
from tests.fuzz.themes.conflicts_theme import CONFLICTS
from tests.fuzz.themes.containers_theme import CONTAINERS
from tests.fuzz.themes.contractions_theme import CONTRACTIONS
from tests.fuzz.themes.decisions import DECISIONS
from tests.fuzz.themes.diagonals_theme import DIAGONALS
from tests.fuzz.themes.distributed_theme import DISTRIBUTED
from tests.fuzz.themes.draws_theme import DRAWS
from tests.fuzz.themes.edges_theme import EDGES
from tests.fuzz.themes.ensembles_theme import ENSEMBLES
from tests.fuzz.themes.guarded import GUARDED
from tests.fuzz.themes.histories_theme import HISTORIES
from tests.fuzz.themes.iterators_theme import ITERATORS
from tests.fuzz.themes.kinds_theme import KINDS
from tests.fuzz.themes.lengths import LATE, LENGTHS
from tests.fuzz.themes.lists import GROWING
from tests.fuzz.themes.numeric import FUNCTIONS, JOINING, PRODUCTS
from tests.fuzz.themes.parallel import GIVEN, PARALLEL, ROW
from tests.fuzz.themes.pieces_theme import PIECES
from tests.fuzz.themes.placeholders_theme import PLACEHOLDERS
from tests.fuzz.themes.points_theme import POINTS_OF_LAYERS
from tests.fuzz.themes.records import CLASSES, CLOSURES, DICTS, NAMED
from tests.fuzz.themes.recurrences_theme import RECURRENCES
from tests.fuzz.themes.recursion_theme import RECURSION
from tests.fuzz.themes.rotations_theme import ROTATIONS
from tests.fuzz.themes.small import SMALL
from tests.fuzz.themes.stencils_theme import STENCILS
from tests.fuzz.themes.storing import INDEXED, MASKS, OUT
from tests.fuzz.themes.structured_theme import STRUCTURED
from tests.fuzz.themes.sweeps_theme import SWEEPS
from tests.fuzz.themes.systems_theme import SYSTEMS
from tests.fuzz.themes.theme import Theme, forms
from tests.fuzz.themes.turns_theme import TURNS
from tests.fuzz.themes.viewing import CUBE, RESHAPED
from tests.fuzz.themes.workspaces_theme import WORKSPACES

THEMES = (
    MASKS,
    INDEXED,
    OUT,
    CUBE,
    RESHAPED,
    FUNCTIONS,
    PRODUCTS,
    JOINING,
    NAMED,
    CLASSES,
    DICTS,
    CLOSURES,
    LENGTHS,
    LATE,
    COMPLEX,
    GUARDED,
    GROWING,
    ITERATORS,
    DECISIONS,
    RECURRENCES,
    SMALL,
    PARALLEL,
    ATTEMPTS,
    DRAWS,
    KINDS,
    TURNS,
    PLACEHOLDERS,
    RECURSION,
    CONTAINERS,
)
APART = (
    COLUMNS,
    CONFLICTS,
    CONTRACTIONS,
    DIAGONALS,
    DISTRIBUTED,
    EDGES,
    ENSEMBLES,
    HISTORIES,
    PIECES,
    ROTATIONS,
    STENCILS,
    STRUCTURED,
    SWEEPS,
    SYSTEMS,
    WORKSPACES,
    POINTS_OF_LAYERS,
)  # by name only
OFTEN = 14  # how often the moves of a theme are drawn; those without a theme have 73 in all
SHARE = 0.25  # of the expressions of a kind, that a theme adds
# Kinds that only themes have, and index arrays, which they nest: what ends an expression.
LEAVES = {
    "mk4": forms("({n4} > CUT)\n({n4} < CUT)"),
    "mk3": forms("({n4}[1:] > CUT)\n(np.arange(3) != {ix3})"),
    "z4": forms("{nz}"),
    "zs": forms("{nz}[{ix4}]"),
    "ia": forms("np.array([3, 0, 2, 1])\nnp.array([0, 2, 2, -1])\n{idx}"),
    "ia3": forms("np.array([2, 0, 1])\nnp.array([0, 0, -1])"),
    "val": GIVEN,
    "far": GIVEN,
    "row": ROW[:4],
}


def alone(draw: Draw, theme: Theme) -> Draw:
    """The drawing restricted to the moves and nests of one theme."""
    only = widened(draw, (theme,))
    return replace(only, families=((1, theme.moves),), nests=theme.nests or draw.nests)


def widened(draw: Draw, themes: tuple[Theme, ...]) -> Draw:
    """The drawing with the moves, nests and expressions of the themes added."""
    families = tuple((OFTEN, theme.moves) for theme in themes)
    more = tuple(nest for theme in themes for nest in theme.nests)
    return replace(
        draw,
        forms=_merged(draw.forms, [theme.forms for theme in themes]),
        leaves=draw.leaves | LEAVES,
        families=draw.families + families,
        nests=draw.nests + more + more,
    )


def _merged(
    core: dict[str, tuple[Form, ...]], added: Iterable[dict[str, tuple[Form, ...]]]
) -> dict[str, tuple[Form, ...]]:
    out = dict(LEAVES | core)
    for table in added:
        for kind, more in table.items():
            out[kind] = out.get(kind, ()) + _scaled(more, _weight(core.get(kind, ())))
    # a bounded expression reads any other of its kind, and so those of the themes too
    return out


def _weight(forms: tuple[Form, ...]) -> float:
    return sum(f.weight for f in forms)


def _scaled(more: tuple[Form, ...], others: float) -> tuple[Form, ...]:
    factor = SHARE * others / _weight(more) if others else 1.0
    return tuple(replace(f, weight=f.weight * factor) for f in more)
