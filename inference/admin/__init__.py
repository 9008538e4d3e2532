"""The operator's view of models, pools, versions, batches and plans."""

from inference.admin.models import ServedModelAdmin
from inference.admin.plans.admin import PlanAdmin, TenantPriceAdmin
from inference.admin.pools import ModelPoolAdmin
from inference.admin.scaling import ScalingTermsAdmin
from inference.admin.tiers import TierAdmin
from inference.admin.versions import ModelVersionAdmin
from inference.admin.work import AliasMoveAdmin, ModelTaskAdmin, ModelVariantAdmin

__all__ = [
    "AliasMoveAdmin",
    "ModelPoolAdmin",
    "ModelTaskAdmin",
    "ModelVariantAdmin",
    "ModelVersionAdmin",
    "PlanAdmin",
    "ScalingTermsAdmin",
    "ServedModelAdmin",
    "TenantPriceAdmin",
    "TierAdmin",
]
