"""Reasons why a change of an account's members is refused."""

from tenants.core.errors import DomainError


class LastOwner(DomainError):
    """The account would have no owner."""

    code = "last_owner"


class OwnerInactive(DomainError):
    """The person may not sign in and so cannot be an owner: nobody would be left who can act for the account."""

    code = "owner_inactive"


class AlreadyMember(DomainError):
    code = "already_member"


class InvitationGone(DomainError):
    """The invitation was used, was revoked, is too old, or never existed."""

    code = "invitation_gone"


class InvitationForOtherUser(DomainError):
    """The link was opened by a signed-in person whom it does not invite."""

    code = "invitation_for_other_user"


class TooManyInvitations(DomainError):
    code = "too_many_invitations"
    gate = "open_invitations"


class OperatorNotDeletable(DomainError):
    """The person is an operator, and operators cannot delete themselves."""

    code = "operator_not_deletable"
