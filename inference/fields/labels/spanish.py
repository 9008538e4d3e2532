"""Labels on Spanish invoices and receipts, by what follows them."""

LABELS = """
title: factura | factura proforma | factura simplificada | recibo | ticket | tique | factura final | minuta
title: factura completa | factura ordinaria | justificante de compra | minuta de honorarios
credit_title: factura rectificativa | abono | nota de crédito | factura de abono
other_title: presupuesto | albarán | pedido | confirmación de pedido | oferta | orden de compra | recordatorio de pago
invoice_number: factura n | factura no | factura número | número de factura | n de factura | n factura | num factura
invoice_number: factura | nº factura | factura nº | núm factura | núm de factura | ref factura | ticket n | n ticket
invoice_number: nº de factura | número factura | factura num | recibo n | n recibo | abono n | número de abono
invoice_number: nº de ticket | número de recibo | n de abono | factura rectificativa n | número de documento
invoice_number: n documento | factura simplificada n | documento n | código de factura | serie y número | serie/número
invoice_number: referencia de factura | n de recibo | nuestra factura | número de ticket | n abono | n de documento
invoice_number: nota de crédito n | recibo número | factura núm | abono número
weak_number: número | n | no | núm | documento
issue_date: fecha de factura | fecha factura | fecha de emisión | fecha de expedición | emitida el | fecha emisión
issue_date: expedida el | fecha de la factura | fecha expedición | fecha de facturación | fecha del abono
issue_date: factura de fecha | fecha de abono | fecha documento | fecha del documento | fecha del ticket
issue_date: fecha de compra | con fecha | fecha de venta
weak_date: fecha | el | a
due_date: fecha de vencimiento | vencimiento | vence el | pagadero el | pagar antes del | fecha vencimiento
due_date: fecha de pago | fecha límite de pago | vence | a pagar antes del | pago antes del | fecha límite
due_date: vencimientos | plazo de pago hasta | pagadero hasta el | pagadero antes del | abonar antes del | hasta el
due_date: vto | fecha de vto | fecha máxima de pago | pago hasta el | páguese antes del | vencimiento de pago
order_number: pedido n | pedido no | número de pedido | n de pedido | n pedido | su pedido | pedido | orden de compra
order_number: ref pedido | núm pedido | orden de compra n | n de orden | pedido número | pedido nº | número de orden
order_number: su pedido n | nº pedido | referencia de pedido | número de orden de compra | núm de pedido
order_number: referencia pedido | orden n | su n de pedido
supplier: emisor | vendedor | proveedor | de | titular | expedidor | beneficiario | titular de la cuenta
supplier: datos del emisor | prestador | empresa | datos del proveedor | vendido por | datos de la empresa
supplier: razón social
buyer: cliente | facturar a | facturado a | comprador | destinatario | datos del cliente | dirección de facturación
buyer: para | a | datos de facturación | receptor | nombre del cliente | factura a | señores | adquirente | sr/a
ship: dirección de entrega | enviar a | entregar en | dirección de envío | lugar de entrega | entrega en
net: base imponible | subtotal | importe neto | total neto | neto | base | total sin iva | suma | total base imponible
net: importe sin iva | total bruto | suma bases | importe base | base imponible total | subtotal sin iva
net: total antes de iva | importe antes de iva | total sin impuestos | importe neto total | total base | subtotal neto
net: suma neta | suma base imponible
tax: iva | cuota iva | importe iva | total iva | i v a | cuota | impuesto | impuestos | cuota de iva | igic
tax: total impuestos | iva incluido | más iva | cuota tributaria | total cuota | importe del iva
tax: impuesto sobre el valor añadido | iva al | total cuotas | importe de impuestos | incluye iva | iva repercutido
total: total | total factura | importe total | total a pagar | a pagar | total con iva | total iva incluido
total: total eur | total euros | importe a pagar | total general | líquido a percibir | total importe
total: importe de la factura | total abono | importe factura | importe líquido | suma total | total a abonar
total: total neto a pagar | total de la factura | total documento | total (iva incluido) | importe total factura
total: total a ingresar | líquido a pagar | saldo a pagar | neto a pagar | cantidad a pagar | total ticket
total: total compra | total con impuestos | importe total a pagar | total a devolver
paid: entregado | efectivo | tarjeta | cambio | pagado | anticipo | a cuenta | ya pagado | visa | mastercard
paid: devolución | entregado a cuenta | recibido | importe entregado | tarjeta bancaria | anticipo recibido
paid: pagos a cuenta
withheld: retención | retención irpf | irpf
discount: descuento | dto | bonificación | rebaja | dto comercial | descuento comercial
shipping: gastos de envío | portes | envío | transporte | gastos de transporte
carry: suma y sigue | suma anterior | saldo anterior
rounding: redondeo
iban: iban | cuenta | número de cuenta | cuenta bancaria | n de cuenta | nº de cuenta | datos bancarios | c c c | ccc
bic: bic | swift | banco | entidad | bic/swift | entidad bancaria
customer_number: número de cliente | n cliente | código cliente | código de cliente | n de cliente | cliente n
customer_number: nº cliente | ref cliente | referencia cliente | núm cliente | id cliente
delivery_date: fecha de entrega | fecha de pedido | fecha pedido | fecha de operación | periodo | fecha del pedido
delivery_date: válido hasta | período de facturación | fecha de envío | fecha de servicio | fecha entrega
delivery_date: fecha operación | período | fecha de la operación | fecha del servicio | periodo de facturación
other: albarán n | n albarán | albarán | referencia | su referencia | nuestra referencia | forma de pago
other: condiciones de pago | página | método de pago | presupuesto n | proyecto | contacto | obra | contrato n | caja
other: cajero | mesa | tienda | hora | a la atención de | terminal | vendedor n | concepto de pago | comercial
other: atendido por | ref | su ref | agente | número de contrato | obra n | camarero | comensales | operación
other: autorización | número de albarán | nº de albarán | le atendió | concepto
vat_id: nif | cif | n i f | c i f | nif/cif | nif iva | registro mercantil | dni | vat | n iva | cif/nif | vat number
vat_id: id fiscal | inscrita en | número de iva | número fiscal | nif del cliente | nif iva intracomunitario
vat_id: inscrita en el registro mercantil
phone: teléfono | tel | tfno | fax | email | correo | e mail | web | móvil | correo electrónico | tlf | telf
column_position: pos | línea | n
column_description: descripción | concepto | artículo | producto | servicio | detalle | denominación
column_description: descripción del artículo
column_quantity: cantidad | cant | uds | unidades | horas | ud | cdad
column_unit: unidad | u m
column_code: código | ref | referencia | cód
column_price: precio unitario | precio | p unitario | precio unidad | precio ud | tarifa | p unit | precio/hora
column_price: precio unit
column_tax: iva | % iva | tipo iva | iva % | tipo | tipo de iva
column_discount: dto | descuento | % dto | dto %
column_amount: importe | total | subtotal | importe neto | importe total | total línea | neto | valor
"""
