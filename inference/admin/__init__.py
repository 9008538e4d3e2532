"""The operator's view of models, pools, versions, batches and plans."""

from inference.admin.models import ModelPoolAdmin, ModelVersionAdmin, ServedModelAdmin
from inference.admin.plans.admin import PlanAdmin, TenantPriceAdmin

__all__ = ["ModelPoolAdmin", "ModelVersionAdmin", "PlanAdmin", "ServedModelAdmin", "TenantPriceAdmin"]
