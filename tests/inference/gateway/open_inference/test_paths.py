import pytest

from inference.gateway.open_inference.paths import Route, route_of


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/v2", Route("GET", "server")),
        ("/v2/", Route("GET", "server")),
        ("/v2/health/live", Route("GET", "live")),
        ("/v2/health/ready", Route("GET", "ready")),
        ("/v2/models/embed", Route("GET", "model", "embed")),
        ("/v2/models/embed/versions/2", Route("GET", "model", "embed", "2")),
        ("/v2/models/embed/ready", Route("GET", "model_ready", "embed")),
        ("/v2/models/embed/versions/2/config", Route("GET", "config", "embed", "2")),
        ("/v2/models/embed/versions/2/infer", Route("POST", "infer", "embed", "2")),
        ("/v2/models/stats", Route("GET", "statistics")),
        ("/v2/models/embed/versions/2/stats", Route("GET", "statistics", "embed", "2")),
        ("/v2/repository/index", Route("POST", "index")),
        ("/v2/repository/models/embed/unload", Route("POST", "unload", "embed")),
    ],
)
def test_a_path_names_an_action_a_model_and_a_version(path: str, route: Route) -> None:
    assert route_of(path) == route


@pytest.mark.parametrize(
    "path",
    ["/v2x", "/v2/models", "/v2/models//infer", "/v2/models/a/b/infer", "/v2/models/a/versions//infer"],
)
def test_other_paths_lead_nowhere(path: str) -> None:
    assert route_of(path) is None


def test_a_version_is_part_of_what_is_looked_up() -> None:
    assert Route("GET", "model", "embed").reference == "embed"
    assert Route("GET", "model", "embed", "2").reference == "embed@2"
