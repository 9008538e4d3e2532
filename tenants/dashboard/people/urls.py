"""URLs of an account's members and of invitations to it."""

from django.urls import path

from tenants.dashboard.people import views
from tenants.dashboard.people.joining import accept_invitation
from tenants.dashboard.sign_in.throttling import throttled_mail, throttled_mail_again

urlpatterns = [
    path("members", views.member_list, name="members"),
    path("members/invite", throttled_mail(views.send_invitation), name="invite"),
    path("members/leave", views.leave_tenant, name="leave-tenant"),
    path("members/<str:membership_id>/role", views.set_role, name="set-role"),
    path("members/<str:membership_id>/remove", views.remove, name="remove-member"),
    path("members/<str:membership_id>/hand-over", views.make_owner, name="hand-over"),
    path(
        "invitations/<str:invitation_id>/resend",
        throttled_mail_again(views.send_again),
        name="resend-invitation",
    ),
    path("invitations/<str:invitation_id>/revoke", views.take_back, name="revoke-invitation"),
    path("invitations/accept/<str:token>", accept_invitation, name="accept-invitation"),
]
