"""Theory without data: how rich a class is, why a problem is hard, how many ways there are to switch."""

from ..core.groups import make_group

make_group(__name__)
