"""Tests of what an operator may change of models: which version answers, at what price, and whether any does."""

import html
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from inference.admin.models import price_words
from inference.batching.limits import Sharing
from inference.models import BatchSetting, ModelPool, ModelVersion, PipelineStep
from inference.registry.batch_limits import batch_limits
from inference.runtime.batched import EMBED_LIMITS, Part
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tests.fixtures import unique
from tests.maas.conftest import logged
from tests.maas.test_admin_actions import act

NO_ROWS = {"batch_settings-TOTAL_FORMS": "0", "batch_settings-INITIAL_FORMS": "0"}


def version_form(version: ModelVersion, **changes: str) -> dict[str, str]:
    served = version.served_model
    return {
        "title": "T",
        "description": "",
        "state": "active",
        "current_choice": str(version.pk),
        "audience": "everyone",
        "shares-TOTAL_FORMS": "0",
        "shares-INITIAL_FORMS": "0",
        "price_meter": served.price_meter,
        "price_micros": "7",
        "price_per": "1",
        "currency": "EUR",
        "cached_price_micros": "",
        "review_price_micros": "",
        "cache_ttl_s": "86400",
        **NO_ROWS,
        **changes,
    }


def test_only_a_models_own_ready_versions_can_answer_for_it(
    operator: Client, make_version: Callable[[], ModelVersion]
) -> None:
    own, foreign = make_version(), make_version()
    with operator_work():
        retired = ModelVersion.objects.create(
            served_model=own.served_model, number=2, runtime="embed", digest="1" * 64, state="retired"
        )
    page = reverse("admin:inference_servedmodel_change", args=[own.served_model.pk])
    for wrong in (foreign, retired):
        answer = operator.post(page, version_form(own, current_choice=str(wrong.pk)))
        assert "current_choice" in answer.context["adminform"].form.errors
    assert operator.post(page, version_form(own)).status_code == 302


def test_a_price_that_is_none_is_refused(operator: Client, version: ModelVersion) -> None:
    page = reverse("admin:inference_servedmodel_change", args=[version.served_model.pk])
    wrong = {"price_per": "0", "currency": "eu", "price_micros": "-1", "cached_price_micros": "-1"}
    wrong["review_price_micros"] = "-1"
    for ttl_s in ("-1", "31536001"):
        fields = {**wrong, "cache_ttl_s": ttl_s}
        answer = operator.post(page, version_form(version, **fields))
        assert answer.context["adminform"].form.errors.keys() == fields.keys()


def test_models_are_paused_and_resumed(operator: Client, version: ModelVersion) -> None:
    served = version.served_model
    for action, state in (("pause", "paused"), ("resume", "active")):
        act(operator, served, action, confirmed="yes")
        served.refresh_from_db(using=OPERATOR)
        assert served.state == state


def test_a_version_in_use_is_not_retired(operator: Client, version: ModelVersion) -> None:
    def retire(which: ModelVersion) -> int:
        steps = {"steps-TOTAL_FORMS": "0", "steps-INITIAL_FORMS": "0"}
        page = reverse("admin:inference_modelversion_change", args=[which.pk])
        return operator.post(page, {"state": "retired", **steps}).status_code

    with operator_work():
        older = ModelVersion.objects.create(
            served_model=version.served_model, number=2, runtime="embed", digest="1" * 64
        )
        step = PipelineStep.objects.create(pipeline=version, role="embed", member=older)
    assert retire(version) == 200
    assert retire(older) == 200
    with operator_work():
        step.delete()
    assert retire(older) == 302


def test_a_version_shows_its_evaluation(operator: Client, version: ModelVersion) -> None:
    with operator_work():
        ModelVersion.objects.filter(pk=version.pk).update(evaluation={"gate": {"verdict": {"admitted": True}}})
    page = operator.get(reverse("admin:inference_modelversion_change", args=[version.pk])).content.decode()
    assert "admitted" in page


def test_the_log_says_what_was_paid_and_what_is_paid_now(operator: Client, version: ModelVersion) -> None:
    served = version.served_model
    page = reverse("admin:inference_servedmodel_change", args=[served.pk])
    before = operator.get(page).context["original"]
    assert operator.post(page, version_form(version, price_micros="2500", price_per="100")).status_code == 302
    served.refresh_from_db(using=OPERATOR)
    said = logged(served.pk)
    assert said.startswith(f"Price changed from {price_words(before)} to {price_words(served)}.")
    assert "Changed title" in said


def test_the_price_of_what_is_kept_is_set_and_the_log_has_both(operator: Client, version: ModelVersion) -> None:
    served = version.served_model
    page = reverse("admin:inference_servedmodel_change", args=[served.pk])
    form = version_form(version, cached_price_micros="3", cache_ttl_s="60")
    assert operator.post(page, form).status_code == 302
    served.refresh_from_db(using=OPERATOR)
    said = logged(served.pk)
    assert "0.000007 EUR per call, 0.000003 EUR per cache hit." in said
    assert (served.cached_price.amount_micros, served.cache_ttl_s) == (3, 60)
    assert replace(served.cached_price, amount_micros=7) == served.price


def test_the_price_of_pages_to_check_is_set_and_the_log_has_both(operator: Client, version: ModelVersion) -> None:
    served = version.served_model
    page = reverse("admin:inference_servedmodel_change", args=[served.pk])
    assert "For pages that a person must check" in operator.get(page).content.decode()
    assert operator.post(page, version_form(version, review_price_micros="0")).status_code == 302
    served.refresh_from_db(using=OPERATOR)
    assert served.review_price == replace(served.price, amount_micros=0)
    assert "0.000007 EUR per call, 0.00 EUR per page to check." in logged(served.pk)


def limits_form(**limits: str) -> dict[str, str]:
    """Return the form of an embedding model whose limits nobody has changed yet."""
    given = {
        "part": "weights",
        "max_rows": "",
        "max_padded": "",
        "max_waiting": "",
        "max_wait_ms": "",
        "sharing": "",
        **limits,
    }
    rows = {f"batch_settings-0-{name}": value for name, value in given.items()}
    return {"batch_settings-TOTAL_FORMS": "1", "batch_settings-INITIAL_FORMS": "0", **rows}


def test_batch_limits_are_set_beside_the_model_and_the_log_has_the_figures(
    operator: Client, version: ModelVersion
) -> None:
    served = version.served_model
    page = reverse("admin:inference_servedmodel_change", args=[served.pk])
    shown = operator.get(page).content.decode()
    assert f'placeholder="{EMBED_LIMITS.max_rows}"' in shown
    form = version_form(version, **limits_form(max_rows="8", max_wait_ms="2.5"))
    assert operator.post(page, form).status_code == 302
    said = logged(served.pk)
    with operator_work():
        limits = batch_limits()[Part(version.key, "weights")]
    assert "Batches of weights: max_rows from default 64 to 8, max_wait_ms from default 0 to 2.5." in said
    assert limits == replace(EMBED_LIMITS, max_rows=8, max_wait_ms=2.5)


def test_callers_are_kept_from_sharing_runs_and_the_log_says_so(operator: Client, version: ModelVersion) -> None:
    served = version.served_model
    page = reverse("admin:inference_servedmodel_change", args=[served.pk])
    assert operator.post(page, version_form(version, **limits_form(sharing="never"))).status_code == 302
    said = logged(served.pk)
    with operator_work():
        limits = batch_limits()[Part(version.key, "weights")]
    assert "Batches of weights: sharing from default proven to never." in said
    assert limits == replace(EMBED_LIMITS, sharing=Sharing.NEVER)


def test_limits_that_nobody_touched_are_no_setting(operator: Client, version: ModelVersion) -> None:
    page = reverse("admin:inference_servedmodel_change", args=[version.served_model.pk])
    assert operator.post(page, version_form(version, **limits_form())).status_code == 302
    assert not BatchSetting.objects.filter(served_model=version.served_model).exists()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_rows": "0"}, "max_rows is 0; give a whole number from 1 to 4096"),
        ({"max_rows": "-3"}, "max_rows is -3; give a whole number from 1 to 4096"),
        ({"max_padded": str(2**40)}, f"max_padded is {2**40}; give a whole number from 1 to {2**31}"),
        ({"max_wait_ms": "1e9"}, "max_wait_ms is 1000000000.0; give milliseconds from 0"),
        ({"max_wait_ms": "-1"}, "max_wait_ms is -1.0; give milliseconds from 0"),
        ({"max_rows": "64", "max_waiting": "63"}, "max_waiting is 63, less than max_rows (64)"),
    ],
)
def test_limits_that_cannot_be_are_refused_in_their_own_words(
    operator: Client, version: ModelVersion, limits: dict[str, str], words: str
) -> None:
    page = reverse("admin:inference_servedmodel_change", args=[version.served_model.pk])
    answer = operator.post(page, version_form(version, **limits_form(**limits)))
    assert answer.status_code == 200
    assert words in html.unescape(answer.content.decode())
    assert not BatchSetting.objects.filter(served_model=version.served_model).exists()


def test_limits_are_never_set_for_a_file_that_the_model_does_not_have(operator: Client, version: ModelVersion) -> None:
    page = reverse("admin:inference_servedmodel_change", args=[version.served_model.pk])
    answer = operator.post(page, version_form(version, **limits_form(part="recognition", max_rows="8")))
    assert "is not a file of this model" in html.unescape(answer.content.decode())


def test_a_model_is_put_into_a_pool_and_the_log_says_so(operator: Client, version: ModelVersion) -> None:
    name = unique("pool")
    operator.post(
        reverse("admin:inference_modelpool_add"), {"name": name, "strategy": "random", "capacity": "standard"}
    )
    pool = ModelPool.objects.get(name=name)
    page = reverse("admin:inference_servedmodel_change", args=[version.served_model.pk])
    assert operator.post(page, version_form(version, pool=str(pool.pk))).status_code == 302
    version.served_model.refresh_from_db()
    assert version.served_model.pool == pool
    assert "pool" in logged(version.served_model.pk).lower()
    with operator_work():
        assert LogEntry.objects.filter(object_id=str(pool.pk), object_repr=name).exists()


def test_no_pool_is_named_default(operator: Client) -> None:
    answer = operator.post(reverse("admin:inference_modelpool_add"), {"name": "default", "strategy": "sticky"})
    assert "is reserved. Choose another name" in answer.content.decode()


def test_a_pool_that_has_models_is_not_deleted(operator: Client, version: ModelVersion) -> None:
    with operator_work():
        pool = ModelPool.objects.create(name=unique("pool"))
        version.served_model.pool = pool
        version.served_model.save()
    operator.post(reverse("admin:inference_modelpool_delete", args=[pool.pk]), {"post": "yes"})
    assert ModelPool.objects.filter(pk=pool.pk).exists()
