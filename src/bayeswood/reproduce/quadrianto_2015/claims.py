"""All that the paper says and numbers can speak for or against."""

from collections.abc import Sequence

from bayeswood.reproduce.checks import check_claims
from bayeswood.reproduce.finding import Finding
from bayeswood.reproduce.paper import Found, Plan, Unit
from bayeswood.reproduce.quadrianto_2015.claims_about_tables import TABLE_CHECKS
from bayeswood.reproduce.quadrianto_2015.claims_about_the_model import MODEL_CHECKS, mass_units
from bayeswood.reproduce.quadrianto_2015.claims_on_the_stand_in import STAND_IN_CHECKS
from bayeswood.reproduce.quadrianto_2015.figures import curve_units, sensitivity_units
from bayeswood.reproduce.quadrianto_2015.ours import stand_in_units
from bayeswood.reproduce.quadrianto_2015.tables import table_1_units

CHECKS = (*TABLE_CHECKS, *STAND_IN_CHECKS)


def claim_units(plan: Plan) -> Sequence[Unit]:
    """What the claims rest on."""
    return [
        *table_1_units(plan),
        *curve_units(plan),
        *sensitivity_units(plan),
        *stand_in_units(plan),
        *mass_units(plan),
    ]


def find_claims(found: Found, plan: Plan) -> Finding:
    """Every claim, checked."""
    return Finding(claims=check_claims((*CHECKS, *MODEL_CHECKS), found, plan))
