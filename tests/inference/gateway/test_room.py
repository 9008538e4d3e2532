import pytest

from inference.gateway.room import MAX_OF_ONE, Room
from tenants.core.asgi.threads import Overloaded


def test_bodies_share_a_room_that_is_free_again_at_their_end() -> None:
    room = Room(10 * MAX_OF_ONE)
    with room.share("a") as one:
        one.grow(6)
        with room.share("a") as other:
            other.grow(4)
            with pytest.raises(Overloaded, match="You send too much"):
                one.grow(1)
        one.grow(4)
    with room.share("a") as later:
        later.grow(10)


def test_a_body_that_is_refused_leaves_what_it_took() -> None:
    room = Room(10 * MAX_OF_ONE)
    with room.share("a") as one:
        one.grow(8)
        with pytest.raises(Overloaded):
            one.grow(8)
    with room.share("a") as later:
        later.grow(10)


def test_one_tenant_leaves_room_for_others_and_all_together_have_a_bound() -> None:
    room = Room(8)
    with room.share("a") as greedy, room.share("b") as other, room.share("c") as third:
        greedy.grow(2)
        with pytest.raises(Overloaded, match="You send too much"):
            greedy.grow(1)
        other.grow(2)
        third.grow(2)
        with room.share("d") as fourth, room.share("e") as fifth:
            fourth.grow(2)
            with pytest.raises(Overloaded, match="Too much is being sent"):
                fifth.grow(1)
