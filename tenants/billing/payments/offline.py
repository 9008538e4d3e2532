"""Bank transfers: the payer is told where to and under which reference, and an operator records what came."""

from tenants.billing.payments.provider.protocol import Begun, Order, RefundOrder, RefundStanding, Standing

OFFLINE = "offline"


class Offline:
    """Asks nobody: what it says of money is what the operator has said."""

    name = OFFLINE

    def begin(self, order: Order) -> Begun:
        return Begun()

    def look(self, order: Order) -> Standing | None:
        return Standing("pending", order.currency, order.amount_micros, order.payment_id, order.tenant_id)

    def refund(self, order: RefundOrder) -> RefundStanding:
        """Whoever decides it sends the transfer."""
        return RefundStanding(
            "succeeded", order.currency, order.amount_micros, "", order.provider_id, order.refund_id
        )

    def look_at_refund(self, order: RefundOrder) -> RefundStanding | None:
        return self.refund(order)
