"""All duties of the scheduler, gathered from the apps that define them."""

import inference.duties
import jobs.duties
import tenants.duties
from tenants.core.duties import Duty

DUTIES: tuple[Duty, ...] = (*jobs.duties.DUTIES, *inference.duties.DUTIES, *tenants.duties.DUTIES)
