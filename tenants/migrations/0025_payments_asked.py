"""What is asked of a provider of payments and when, what an invoice took, and what is disputed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0024_closing'),
    ]

    operations = [
        migrations.AddField(
            model_name='payment',
            name='asked_at',
            field=models.DateTimeField(help_text='When the provider was first asked for it.', null=True),
        ),
        migrations.AddField(
            model_name='payment',
            name='automatic',
            field=models.BooleanField(default=False, help_text='Taken from a saved card by the service itself.'),
        ),
        migrations.AddField(
            model_name='payment',
            name='checkout_id',
            field=models.CharField(blank=True, help_text="The provider's page, as it names it.", max_length=200),
        ),
        migrations.AddField(
            model_name='payment',
            name='checkout_url',
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name='payment',
            name='dispute',
            field=models.CharField(blank=True, help_text='How it stands, where its payer disputes it.', max_length=40),
        ),
        migrations.AddField(
            model_name='payment',
            name='failure_told_at',
            field=models.DateTimeField(help_text='When its failure was mailed.', null=True),
        ),
        migrations.AddField(
            model_name='payment',
            name='invoice_micros',
            field=models.PositiveBigIntegerField(default=0, help_text='Of it, what its invoice took; the rest is credit.'),
        ),
        migrations.AddField(
            model_name='payment',
            name='looked_at',
            field=models.DateTimeField(help_text='When the provider was last asked how it stands.', null=True),
        ),
        migrations.AddField(
            model_name='payment',
            name='method_id',
            field=models.CharField(blank=True, help_text='The saved card, as the provider names it.', max_length=200),
        ),
        migrations.AddField(
            model_name='payment',
            name='note',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name='payment',
            name='once',
            field=models.UUIDField(editable=False, help_text='Of the form: sent twice, it is one payment.', null=True),
        ),
        migrations.AddField(
            model_name='payment',
            name='reopened_micros',
            field=models.PositiveBigIntegerField(default=0, help_text='Of that, what is owed again since it was given back.'),
        ),
        migrations.AddField(
            model_name='payment',
            name='told_currency',
            field=models.CharField(blank=True, max_length=3),
        ),
        migrations.AddField(
            model_name='payment',
            name='told_micros',
            field=models.BigIntegerField(help_text='What the provider says came in, where it differs.', null=True),
        ),
        migrations.AddField(
            model_name='providercustomer',
            name='saved_at',
            field=models.DateTimeField(help_text='When the card was saved.', null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='asked_at',
            field=models.DateTimeField(help_text='When the provider was first asked for it.', null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='failure',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name='refund',
            name='looked_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='once',
            field=models.UUIDField(editable=False, help_text='Of the form: sent twice, it is one refund.', null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='owed_again',
            field=models.BooleanField(default=False, help_text='What it had paid of an invoice is open again; else it is taken out of credit.'),
        ),
        migrations.AddField(
            model_name='refund',
            name='reopened_micros',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.UniqueConstraint(fields=('tenant', 'once'), name='tenants_payment_asked_once'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.UniqueConstraint(condition=models.Q(('checkout_id', ''), _negated=True), fields=('provider', 'checkout_id'), name='tenants_payment_one_checkout'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(('invoice_micros__lte', models.F('amount_micros')), ('reopened_micros__lte', models.F('invoice_micros'))), name='tenants_payment_takes_what_came'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.UniqueConstraint(fields=('tenant', 'once'), name='tenants_refund_asked_once'),
        ),
    ]
