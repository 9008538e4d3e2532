"""Bank transfers. The payer is shown the bank details and a reference, and an operator records the money that
arrives.
"""

from tenants.billing.payments.provider.protocol import Begun, Order, RefundOrder, RefundStanding, Standing

OFFLINE = "offline"


class Offline:
    """The provider for bank transfers. It sends no requests, and reports only what the operator has entered."""

    name = OFFLINE

    def begin(self, order: Order) -> Begun:
        return Begun()

    def look(self, order: Order) -> Standing | None:
        return Standing("pending", order.currency, order.amount_micros, order.payment_id, order.tenant_id)

    def refund(self, order: RefundOrder) -> RefundStanding:
        """Report the refund as done. The person who decides it sends the transfer."""
        return RefundStanding(
            "succeeded", order.currency, order.amount_micros, "", order.provider_id, order.refund_id
        )

    def look_at_refund(self, order: RefundOrder) -> RefundStanding | None:
        return self.refund(order)
