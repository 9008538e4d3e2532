"""The app of documents, jobs and their results."""

from importlib import import_module

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "jobs"
    verbose_name = "Work"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import_module("inference.registry.versions").register_work(
            import_module("jobs.queue.unfinished").unfinished_work
        )
        import_module("tenants.audit.services").on_action(import_module("jobs.events.changes").announce_access)
