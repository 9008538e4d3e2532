"""The settings of Django, all read from the environment. The file docs/settings.md lists every variable."""

import os
from pathlib import Path
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

from maas.ops import operator_theme
from maas.settings import csp
from maas.settings.accounts import allauth_settings, checked_sign_up
from maas.settings.cells import cells_of
from maas.settings.env import DatabaseUrl, Environment, storage_backend
from maas.settings.mail import mail_settings
from maas.settings.payments import STRIPE_API, STRIPE_CHECKOUT, stripe_settings
from tenants.authentication.sign_on.configured import sign_on_providers
from tenants.limits.effective import MAX_DAYS
from tenants.limits.rates.rates import MAX_AT_ONCE, MOST

BASE_DIR = Path(__file__).resolve().parents[2]
ENV = Environment.read()
MAAS_EMBEDDED = ENV.flag("MAAS_EMBEDDED", True)
MAAS_WAL_ARCHIVE = ENV.text("MAAS_WAL_ARCHIVE", "")
ENV.require_own_servers()

MAAS_HOME = ENV.home
MAAS_PORT = ENV.number("MAAS_PORT", 8000)
MAAS_HOST = ENV.text("MAAS_HOST", "127.0.0.1")
MAAS_GRPC_PORT = ENV.number("MAAS_GRPC_PORT", 0)
MAAS_PUBLIC_URL = ENV.text("MAAS_PUBLIC_URL", f"http://127.0.0.1:{MAAS_PORT}")
# The default is where `make up` would listen, never another PostgreSQL server that the machine happens to have.
MAAS_DATABASE_URL = ENV.text(
    "MAAS_DATABASE_URL", f"postgres:///maas?host={quote(str(MAAS_HOME / 'run' / 'postgres'), safe='')}"
)
MAAS_REDIS_URL = ENV.text("MAAS_REDIS_URL", "redis://127.0.0.1:6379/0")
MAAS_CACHE_URL = ENV.text("MAAS_CACHE_URL", "redis://127.0.0.1:6380/0")
MAAS_BROKER_URL = ENV.text("MAAS_BROKER_URL", MAAS_REDIS_URL)
MAAS_STORAGE_URL = ENV.text("MAAS_STORAGE_URL", f"file://{MAAS_HOME / 'files'}")
MAAS_SPOOL = MAAS_HOME / "spool"
MAAS_PACKED = MAAS_HOME / "packed"
MAAS_WORKER_SOCKETS = MAAS_HOME / "run" / "workers"

MAAS_KEY_PEPPER = ENV.text("MAAS_KEY_PEPPER", "")
MAAS_EDGE_KEY = ENV.text("MAAS_EDGE_KEY", "")
MAAS_CELL = ENV.text("MAAS_CELL", "")
MAAS_CELLS = cells_of(
    own=MAAS_CELL,
    urls=ENV.text("MAAS_CELLS", ""),
    keys=ENV.text("MAAS_CELL_KEYS", ""),
    secret=ENV.text("MAAS_CELL_SECRET", ""),
    control=ENV.text("MAAS_CONTROL_CELL", ""),
    redirect=ENV.flag("MAAS_CELL_REDIRECT", False),
)
MAAS_LEASE_S = ENV.number("MAAS_LEASE_S", 30)
MAAS_PAGE_LIMIT_S = ENV.number("MAAS_PAGE_LIMIT_S", 600)
MAAS_MAX_ATTEMPTS = ENV.number("MAAS_MAX_ATTEMPTS", 3)
MAAS_MAX_UPLOAD_BYTES = ENV.number("MAAS_MAX_UPLOAD_BYTES", 200 * 2**20)
# Models of accounts: how many each may have, and the largest file.
MAAS_OWN_MODELS = ENV.number("MAAS_OWN_MODELS", 20)
MAAS_OWN_MODEL_MB = ENV.number("MAAS_OWN_MODEL_MB", 512)
MAAS_MODEL_CACHE_MB = ENV.number("MAAS_MODEL_CACHE_MB", 20_000)
MAAS_MAX_RESUMABLE_BYTES = ENV.number("MAAS_MAX_RESUMABLE_BYTES", 5 * 2**30)
MAAS_MAX_OPEN_UPLOADS = ENV.number("MAAS_MAX_OPEN_UPLOADS", 100)  # per tenant
MAAS_MAX_OPEN_UPLOADS_BYTES = ENV.number("MAAS_MAX_OPEN_UPLOADS_BYTES", 50 * 2**30)
MAAS_UPLOAD_EXPIRES_S = ENV.number("MAAS_UPLOAD_EXPIRES_S", 24 * 3600)  # after the last byte arrived
MAAS_MAX_INLINE_BYTES = ENV.number("MAAS_MAX_INLINE_BYTES", 8 * 2**20)
MAAS_MAX_CALL_BYTES = ENV.number("MAAS_MAX_CALL_BYTES", 32 * 2**20)
MAAS_MAX_FILE_BYTES = ENV.number("MAAS_MAX_FILE_BYTES", 200 * 2**20)  # an input file of a batch
MAAS_MAX_FILES = ENV.number("MAAS_MAX_FILES", 1000)  # per tenant
MAAS_MAX_FILES_BYTES = ENV.number("MAAS_MAX_FILES_BYTES", 20 * 2**30)
MAAS_MAX_ARCHIVE_BYTES = ENV.number("MAAS_MAX_ARCHIVE_BYTES", 500 * 2**20)
MAAS_ARCHIVE_ENTRIES = ENV.number("MAAS_ARCHIVE_ENTRIES", 1000)
MAAS_ARCHIVE_UNPACKED_BYTES = ENV.number("MAAS_ARCHIVE_UNPACKED_BYTES", 2 * 2**30)
MAAS_ARCHIVE_RATIO = ENV.number("MAAS_ARCHIVE_RATIO", 200)
MAAS_ARCHIVE_DAYS = ENV.number("MAAS_ARCHIVE_DAYS", 7)
MAAS_CACHE_MEMORY_BYTES = ENV.number("MAAS_CACHE_MEMORY_BYTES", 64 * 2**20)
MAAS_CACHE_TENANT_BYTES = ENV.number("MAAS_CACHE_TENANT_BYTES", 64 * 2**20)
MAAS_MAX_PAGES = ENV.number("MAAS_MAX_PAGES", 2000)
MAAS_MAX_PAGE_PIXELS = ENV.number("MAAS_MAX_PAGE_PIXELS", 50_000_000)
MAAS_RENDER_DPI = ENV.number("MAAS_RENDER_DPI", 200)
# The tokens held for a page of a job that is paid by tokens, because their number is not known in advance.
MAAS_HOLD_TOKENS_PER_PAGE = ENV.number("MAAS_HOLD_TOKENS_PER_PAGE", 4_096)
# The milliseconds held for a page or call that is paid by the second. No more than these are charged.
MAAS_HOLD_GPU_MS_PER_PAGE = ENV.number("MAAS_HOLD_GPU_MS_PER_PAGE", 10_000)
MAAS_INVOICE_AFTER_H = ENV.number("MAAS_INVOICE_AFTER_H", 6)
# These limits apply to each tenant that has none of its own. 0 is unlimited.
MAAS_REQUESTS_PER_MINUTE = ENV.limit("MAAS_REQUESTS_PER_MINUTE", 600_000, MOST)
MAAS_TOKENS_PER_MINUTE = ENV.limit("MAAS_TOKENS_PER_MINUTE", 0, MOST)
# These limits apply to all test keys of a tenant together. Their work costs nothing.
MAAS_TEST_PAGES_A_DAY = ENV.limit("MAAS_TEST_PAGES_A_DAY", 200, MOST)
MAAS_TEST_CALLS_A_DAY = ENV.limit("MAAS_TEST_CALLS_A_DAY", 2_000, MOST)
MAAS_PAGES_PER_MINUTE = ENV.limit("MAAS_PAGES_PER_MINUTE", 100_000, MOST)
MAAS_CALLS_AT_ONCE = ENV.limit("MAAS_CALLS_AT_ONCE", 1_000, MAX_AT_ONCE)
MAAS_UNFINISHED_JOBS = ENV.limit("MAAS_UNFINISHED_JOBS", 100_000, MOST)
MAAS_UNFINISHED_PAGES = ENV.limit("MAAS_UNFINISHED_PAGES", 500_000, MOST)
# The megabytes (of 1,000,000 bytes) of documents, files, results and unfinished uploads of a tenant. 0 is unlimited.
MAAS_STORAGE_MB = ENV.limit("MAAS_STORAGE_MB", 0, MOST)
# The time that a page of each priority may wait for a model. Jobs that would wait longer are refused. 0 is unlimited.
MAAS_MAX_QUEUE_AGE_INTERACTIVE_S = ENV.limit("MAAS_MAX_QUEUE_AGE_INTERACTIVE_S", 60, MOST)
MAAS_MAX_QUEUE_AGE_STANDARD_S = ENV.limit("MAAS_MAX_QUEUE_AGE_STANDARD_S", 3600, MOST)
MAAS_MAX_QUEUE_AGE_BULK_S = ENV.limit("MAAS_MAX_QUEUE_AGE_BULK_S", 24 * 3600, MOST)
# The value is None if it is not set. It then is three quarters of what the workers of a model can take.
MAAS_PAGES_AT_ONCE = ENV.limit("MAAS_PAGES_AT_ONCE", 0, MOST) if "MAAS_PAGES_AT_ONCE" in ENV.values else None
# Retention in days, for each tenant that has none of its own, and for the data of test keys. 0 keeps data forever.
MAAS_KEEP_DOCUMENTS_DAYS = ENV.limit("MAAS_KEEP_DOCUMENTS_DAYS", 0, MAX_DAYS)
MAAS_KEEP_RESULTS_DAYS = ENV.limit("MAAS_KEEP_RESULTS_DAYS", 0, MAX_DAYS)
MAAS_KEEP_EVENTS_DAYS = ENV.limit("MAAS_KEEP_EVENTS_DAYS", 0, MAX_DAYS)
MAAS_KEEP_TEST_DAYS = ENV.limit("MAAS_KEEP_TEST_DAYS", 7, MAX_DAYS)
MAAS_KEEP_TOMBSTONES_DAYS = ENV.limit("MAAS_KEEP_TOMBSTONES_DAYS", 365, MAX_DAYS)
# The days between a request to delete an account and its erasure. Until then an owner can withdraw the request. 0 is at
# once.
MAAS_DELETION_GRACE_DAYS = ENV.number("MAAS_DELETION_GRACE_DAYS", 30)
# More threads than keep the cores busy only make each page slower, and a new page waits behind them.
MAAS_WORKER_THREADS = ENV.number("MAAS_WORKER_THREADS", min(16, 4 * len(os.sched_getaffinity(0))))
MAAS_WORKER_POOLS = ENV.names("MAAS_WORKER_POOLS")  # empty means all that are not dedicated
# If there are two, callers of one are served while the other is replaced.
MAAS_WEB_PROCESSES = ENV.number("MAAS_WEB_PROCESSES", max(2, len(os.sched_getaffinity(0)) // 2))
# With fewer than four threads, a few slow pages would block the rest of a process.
MAAS_WEB_THREADS = ENV.number("MAAS_WEB_THREADS", max(4, 16 // max(1, MAAS_WEB_PROCESSES)))
MAAS_EGRESS_PORTS = ENV.ports("MAAS_EGRESS_PORTS", "443,8443")
MAAS_EGRESS_LOOPBACK = ENV.flag("MAAS_EGRESS_LOOPBACK", False)
MAAS_EGRESS_OWN_HOSTS = ENV.own_hosts("MAAS_EGRESS_OWN_HOSTS")
MAAS_WEBHOOK_KEEP_ANSWERS = ENV.flag("MAAS_WEBHOOK_KEEP_ANSWERS", False)
MAAS_FETCHES = ENV.number("MAAS_FETCHES", 16)  # documents by URL at once, in each web process
MAAS_FETCH_S = ENV.number("MAAS_FETCH_S", 60)
MAAS_EMAIL_URL = ENV.text("MAAS_EMAIL_URL", "")
_stripe = stripe_settings(
    ENV.text("MAAS_STRIPE_SECRET_KEY", ""),
    ENV.text("MAAS_STRIPE_WEBHOOK_SECRET", ""),
    ENV.text("MAAS_STRIPE_API_BASE", STRIPE_API),
    ENV.text("MAAS_STRIPE_CHECKOUT", STRIPE_CHECKOUT),
)
MAAS_STRIPE_SECRET_KEY = _stripe.secret_key
MAAS_STRIPE_WEBHOOK_SECRET = _stripe.webhook_secret
MAAS_STRIPE_API_BASE = _stripe.api_base
MAAS_STRIPE_CHECKOUT = _stripe.checkout
MAAS_DRAIN_S = ENV.number("MAAS_DRAIN_S", 0)
MAAS_FINISH_S = ENV.number("MAAS_FINISH_S", 2)
MAAS_WORKER_STOP_S = ENV.number("MAAS_WORKER_STOP_S", 3)
# If there are two, a document that takes long to read does not block other tenants.
MAAS_READER_CHILDREN = ENV.number("MAAS_READER_CHILDREN", max(2, min(16, len(os.sched_getaffinity(0)))))
MAAS_MODEL_MEMORY = ENV.number("MAAS_MODEL_MEMORY", 0)  # bytes; 0 is a share of the machine's or the GPU's
MAAS_GPU_SHARE = ENV.share("MAAS_GPU_SHARE", 1)  # of a GPU that several workers use
MAAS_OCR_LANGUAGES = ENV.languages("MAAS_OCR_LANGUAGES")
MAAS_TESSDATA = Path(ENV.text("MAAS_TESSDATA", str(MAAS_HOME / "tessdata"))).expanduser()
MAAS_TENSORRT = ENV.flag("MAAS_TENSORRT", False)
MAAS_LOG_FORMAT = ENV.text("MAAS_LOG_FORMAT", "console")
MAAS_METRICS_PORT = ENV.number("MAAS_METRICS_PORT", 0)
MAAS_OPERATOR_TOKEN = ENV.text("MAAS_OPERATOR_TOKEN", "")

DEBUG = ENV.flag("MAAS_DEBUG", False)
SECRET_KEY = ENV.text("MAAS_SECRET_KEY", "") or ("unset-" * 10 if DEBUG else "")
# The request guard has already counted the bytes. Django must not have a lower limit than the guard.
DATA_UPLOAD_MAX_MEMORY_SIZE = MAAS_MAX_INLINE_BYTES
ALLOWED_HOSTS = ENV.names("MAAS_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = ENV.names("MAAS_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "maas.ops.admin_app.OperatorAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "csp",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "tenants",
    "inference",
    "jobs",
    "maas",
]

MIDDLEWARE = [
    "maas.web.access_log.AccessLogMiddleware",
    "maas.settings.csp.PolicyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "maas.web.page_scopes.PageScopesMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "maas.web.acting.ActingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "maas.web.errors.error_pages.RefusalPages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "maas.urls"
WSGI_APPLICATION = None
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["tenants.templatetags.moments"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "tenants.dashboard_base.shell.shell",
                "tenants.dashboard.accounts.views.doors",
            ],
        },
    }
]

# All three are the same server: `default` is restricted by row-level security, `operator` sees all rows, and `owner`
# creates tables. Signing in acts as its own role on the connections of `default`; see
# tenants.core.db.unit_of_work.account_work.
_database = DatabaseUrl.parse(MAAS_DATABASE_URL)
# An idle transaction blocks more than what it has locked: streams of events stop at the oldest transaction that still
# writes. Operators' transactions may last longer, for example while a new password is hashed. Their loops set their own
# timeout.
_STANDSTILL_S = min(5, MAAS_LEASE_S)
DATABASES = {
    "default": _database.django("maas_app", timeout_s=_STANDSTILL_S),
    "operator": {
        **_database.django("maas_operator", timeout_s=MAAS_LEASE_S),
        "TEST": {"MIRROR": "default"},
    },
    "owner": {**_database.django(None), "TEST": {"MIRROR": "default"}},
}
DATABASE_ROUTERS = ["tenants.core.db.unit_of_work.ScopeRouter"]
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": MAAS_CACHE_URL,
        "KEY_PREFIX": "web",
        # A server that hangs counts as unavailable. Without these timeouts, its callers would hang with it.
        "OPTIONS": {"socket_timeout": 2.0, "socket_connect_timeout": 2.0},
    }
}
STORAGES = {
    "default": storage_backend(MAAS_STORAGE_URL, MAAS_HOME),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_URL = "/static/"
# The files are found in the packages themselves when a process starts, so they need not be collected first.
WHITENOISE_USE_FINDERS = True

if MAAS_OPERATOR_TOKEN and len(MAAS_OPERATOR_TOKEN) < 32:
    raise ImproperlyConfigured("MAAS_OPERATOR_TOKEN must have 32 characters or more, chosen at random")
if not 0 <= MAAS_DELETION_GRACE_DAYS <= MAX_DAYS:
    raise ImproperlyConfigured(
        f"MAAS_DELETION_GRACE_DAYS={MAAS_DELETION_GRACE_DAYS} must be 0, which is at once, or at most {MAX_DAYS}"
    )
globals().update(mail_settings(MAAS_EMAIL_URL))

AUTH_USER_MODEL = "tenants.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# This is the only backend, so that no password is checked twice, or without counting the attempt.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "job-list"
LOGOUT_REDIRECT_URL = "sign-in"
SESSION_ENGINE = "tenants.accounts.session_store"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = "maas.formats"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tenants.api.authentication.EdgeAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["tenants.api.authentication.IsIdentified"],
    "DEFAULT_RENDERER_CLASSES": ["tenants.api.rendering.TimedJSONRenderer"],
    "DATETIME_FORMAT": "%Y-%m-%dT%H:%M:%S.%fZ",
    "DEFAULT_PARSER_CLASSES": ["maas.web.json_parser.StorableJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "maas.web.errors.api_handler.handle",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Document AI",
    "DESCRIPTION": "Send documents, texts and tensors to models. Get results by waiting, polling, event stream, "
    "websocket or webhook. The JSON Schema of results is at [/v1/schemas/result-1.json](/v1/schemas/result-1.json).",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "maas.web.openapi_document.with_gateway",
    ],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "JobState": "jobs.core.models.jobs._STATES",
        "KindEnum": "jobs.core.models.Document.Kind",
        "ServedModelState": "inference.registry.models.ServedModel.State",
        "WebhookDeliveryState": "jobs.webhooks.models.WebhookDelivery.State",
        "WebhookEndpointState": "jobs.webhooks.models.WebhookEndpoint.State",
    },
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "SCHEMA_PATH_PREFIX": "/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "validatorUrl": None},
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "APPEND_COMPONENTS": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    "SECURITY": [{"key": []}],
}

# MAAS_SECURE=1 means that a TLS proxy is in front, and turns on everything that needs HTTPS.
_secure = ENV.flag("MAAS_SECURE", False)
if _secure and MAAS_EGRESS_LOOPBACK:
    raise ImproperlyConfigured(
        "MAAS_EGRESS_LOOPBACK=1 lets tenants reach this machine's own ports, and MAAS_SECURE=1 says that it is no "
        "machine for development: unset one of them"
    )
MAAS_SIGN_UP = checked_sign_up(ENV.text("MAAS_SIGN_UP", "invitation"), secure=_secure, email_url=MAAS_EMAIL_URL)
MAAS_STAFF_TWO_FACTOR = ENV.flag("MAAS_STAFF_TWO_FACTOR", _secure)
globals().update(allauth_settings(secure=_secure))
_sign_on = {
    "MAAS_GOOGLE_CLIENT_ID": ENV.text("MAAS_GOOGLE_CLIENT_ID", ""),
    "MAAS_GOOGLE_SECRET": ENV.text("MAAS_GOOGLE_SECRET", ""),
    "MAAS_GITHUB_CLIENT_ID": ENV.text("MAAS_GITHUB_CLIENT_ID", ""),
    "MAAS_GITHUB_SECRET": ENV.text("MAAS_GITHUB_SECRET", ""),
    "MAAS_MICROSOFT_CLIENT_ID": ENV.text("MAAS_MICROSOFT_CLIENT_ID", ""),
    "MAAS_MICROSOFT_SECRET": ENV.text("MAAS_MICROSOFT_SECRET", ""),
    "MAAS_MICROSOFT_TENANT": ENV.text("MAAS_MICROSOFT_TENANT", "common"),
}
# Each of these providers has its own address, client ID and secret: MAAS_OIDC_<NAME>_URL and so on.
MAAS_SIGN_ON = sign_on_providers(ENV.names("MAAS_OIDC_PROVIDERS"), {**ENV.values, **_sign_on}, secure=_secure)
MAAS_SANDBOX_NEEDS = ENV.layers("MAAS_SANDBOX_NEEDS", "landlock,seccomp" if _secure else "none")
MAAS_PROXIES = ENV.number("MAAS_PROXIES", 1 if _secure else 0)
SECURE_SSL_REDIRECT = _secure
# An autoscaler in the cluster asks for the number of workers without a proxy, and follows no redirects.
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$", r"^metrics$", r"^v1/operator/scaling(/|$)"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _secure else None
SECURE_HSTS_SECONDS = 31_536_000 if _secure else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _secure
SECURE_HSTS_PRELOAD = _secure
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _secure
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# A person who pays by card is redirected from a form of the dashboard to the provider's own page, and nowhere else.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": csp.pages(
        forms_go_to=[MAAS_STRIPE_CHECKOUT] if MAAS_STRIPE_SECRET_KEY else [],
    )
}
UNFOLD = operator_theme.UNFOLD

LOGGING_CONFIG = "maas.process.logging.configure"
LOGGING = {"format": MAAS_LOG_FORMAT, "level": ENV.text("MAAS_LOG_LEVEL", "INFO")}
# NumPy's small products gain nothing from their own threads beside those of ONNX Runtime.
os.environ.setdefault("OMP_NUM_THREADS", "1")
