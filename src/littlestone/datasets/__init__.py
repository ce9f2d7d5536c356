"""Data to try things on: small tables that are inside, real streams that are fetched with a checksum."""

from ..core.groups import make_group

make_group(__name__)
