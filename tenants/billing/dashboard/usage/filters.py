"""The filters of the usage page, as its URL states them and as its form offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from urllib.parse import urlencode

from tenants.billing.usage.selectors import Used
from tenants.billing.usage.usage_query import NO_KEY, BadQuestion, Only, only

TEST = "test"
NOBODYS = "Without a key"
"""The label of usage without a key: usage by people on the dashboard, and usage from before keys were recorded."""


@dataclass(frozen=True)
class Option:
    value: str
    title: str
    chosen: bool


@dataclass(frozen=True)
class UsageFilter:
    model: str = ""
    key: str = ""
    """The id of a key, or `none` for usage without a key."""
    mode: str = ""
    """The mode: `test` for test usage only."""

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "UsageFilter":
        """Read the filter. An invalid filter is ignored, so an old URL shows everything."""
        mode = TEST if parameters.get("mode") == TEST else ""
        found = cls(parameters.get("model", "")[:100], parameters.get("key", "")[:36], mode)
        try:
            only({"key": found.key, "model": found.model})
        except BadQuestion:
            return cls()
        return found

    @property
    def only(self) -> Only:
        keys = only({"key": self.key}).keys
        return Only((self.model,) if self.model else (), keys)

    @property
    def of_mode(self) -> Only:
        """Return the filter for test usage only if that was chosen, and for both modes otherwise."""
        return self.only if self.livemode else replace(self.only, livemode=False)

    @property
    def livemode(self) -> bool:
        return self.mode != TEST

    @property
    def narrows(self) -> bool:
        return self != UsageFilter()

    @property
    def query(self) -> str:
        """Return the filter as a query string that follows another parameter of a URL."""
        said = {name: value for name, value in asdict(self).items() if value}
        return f"&{urlencode(said)}" if said else ""

    def of_model(self, model: str) -> tuple[str, str]:
        """Return the model's name, and the query string for this model alone."""
        return model, replace(self, model=model).query

    def of_key(self, key: str, names: Mapping[str, str]) -> tuple[str, str]:
        return key_name(key, names), replace(self, key=key or NO_KEY).query

    def models(self, used: Used) -> Sequence[Option]:
        names = sorted({*used.models, *([self.model] if self.model else [])})
        return [Option("", "All models", not self.model), *(Option(n, n, n == self.model) for n in names)]

    def keys(self, used: Used, names: Mapping[str, str]) -> Sequence[Option]:
        """Return the options for the key. `names` holds the keys' names by id."""
        ids = {key or NO_KEY for key in used.keys} | ({self.key} if self.key else set())
        named = [Option(one, key_name(one, names), one == self.key) for one in ids]
        return [Option("", "All callers", not self.key), *sorted(named, key=lambda one: one.title.lower())]


def key_name(key: str, names: Mapping[str, str]) -> str:
    return NOBODYS if key in ("", NO_KEY) else names.get(key, f"Key {key}")
