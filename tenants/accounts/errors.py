"""Why something about an account's members cannot be done."""

from tenants.core.errors import DomainError


class LastOwner(DomainError):
    """An account without an owner is nobody's."""

    code = "last_owner"


class OwnerShutOut(DomainError):
    """Whoever may not sign in can own nothing: nobody would be left who can act for the account."""

    code = "owner_shut_out"


class AlreadyMember(DomainError):
    code = "already_member"


class InvitationGone(DomainError):
    """Used up, taken back, too old, or never made."""

    code = "invitation_gone"


class InvitedAsAnother(DomainError):
    """Whoever opened the link is signed in as a person whom it does not invite."""

    code = "invited_as_another"


class TooManyInvitations(DomainError):
    code = "too_many_invitations"


class OperatorStays(DomainError):
    """Whoever runs the service does not vanish from it by themselves."""

    code = "operator_stays"
