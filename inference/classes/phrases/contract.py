"""Phrases of contracts, terms and licenses."""

from inference.classes.phrases.evidence import Evidence

EVIDENCE = (
    Evidence(
        "contract_title",
        "title",
        "agreement | *agreement | contract | contract of | contract for | lease | deed | deed of | bill of sale"
        " | terms and conditions | terms of service | terms of use | general terms | conditions of | license"
        " | licence | memorandum of understanding | non disclosure | power of attorney | addendum | amendment no"
        " | *vertrag | *vertrags | *vertrages | vertrag uber | *vereinbarung | geschaftsbedingungen | agb"
        " | nutzungsbedingungen | satzung | nachtrag | contrat | contrat de | contrato | contrato de | contratto"
        " | contratto di | *overeenkomst | convention | convenio | loan agreement | partnership"
        " | partnership deed | tenancy | sublease | settlement | schedule | engagement letter | order form and"
        " | hausordnung | *bedingungen | *ordnung | statut | statuten | bylaws | articles of association | bail"
        " | conditions generales | condizioni generali | condiciones generales | voorwaarden",
    ),
    Evidence(
        "contract_parties",
        "text",
        "this agreement | this contract | this lease | this license | this licence | the agreement"
        " | between the parties | the parties | either party | neither party | both parties | each party"
        " | other party | the party | third party | third parties | hereinafter | hereafter | hereby | herein"
        " | hereof | hereto | hereunder | thereof | whereas | by and between | made between | entered into"
        " | vertragspartei* | vertragspartner* | die parteien | der parteien | beide parteien | jede partei"
        " | beiden seiten | nachfolgend | nachstehend | im folgenden | dieser vertrag | dieses vertrages"
        " | dieses vertrags | diesem vertrag | diesen vertrag | der vertrag | vertraglich* | dieser vereinbarung"
        " | diese vereinbarung | les parties | les soussignes | ci apres | las partes | en adelante | le parti"
        " | di seguito | de partijen | hierna | a party | such party | the undersigned | of the one part"
        " | of the other part | of the first part | now it is agreed | it is agreed | the following terms"
        " | following conditions | these terms | these conditions | this deed | this clause | clause | clauses"
        " | paragraph | schedule | vorliegenden vertrag | abs | absatz | ziffer | anlage zum | bestandteil"
        " | vertragsschluss | vertragsbeginn | vertragsverhaltnis",
        2,
    ),
    Evidence(
        "contract_roles",
        "text",
        "landlord | tenant | lessor | lessee | licensor | licensee | licensed | employer | employee"
        " | the contractor | the customer | the client | the supplier | the provider | the consultant"
        " | the company | the buyer | the purchaser | the seller | the vendor | the borrower | the lender"
        " | disclosing party | receiving party | auftragnehmer* | auftraggeber* | vermieter* | mieter*"
        " | der verkaufer | der kaufer | des kaufers | des verkaufers | arbeitnehmer* | der arbeitgeber"
        " | die arbeitgeberin | darlehensgeber* | darlehensnehmer* | lizenzgeber* | lizenznehmer*"
        " | dienstleister* | der anbieter | der kunde | der besteller | der lieferant | bailleur | locataire"
        " | arrendador | arrendatario | locatore | conduttore | verhuurder | huurder | licence holder | user"
        " | users | subcontractor | guarantor | the bank | borrower | lender | the partners | the members"
        " | the shareholders | contractor | client | die mieterin | der verein | des vereins | mitglied"
        " | mitglieder | auszubildende* | ausbildende* | leihgeber* | entleiher* | gesellschafter* | vorstand"
        " | burge | kunden | mitarbeiter",
        2,
    ),
    Evidence(
        "contract_duties",
        "text",
        "shall | shall be | shall not | shall have | may not | undertakes | is obliged | are obliged | agrees to"
        " | agree to | is entitled | are entitled | in accordance with | pursuant to | subject to"
        " | in the event of | in the event that | notwithstanding | without prejudice | prior written consent"
        " | prior consent | at its own expense | to the extent | provided that | including but not limited"
        " | verpflichtet sich | ist verpflichtet | sind verpflichtet | verpflichten sich | ist berechtigt"
        " | sind berechtigt | berechtigt | gemass | soweit | sofern | unbeschadet | vorbehaltlich | bedarf der"
        " | bedurfen der | obliegt | ist ausgeschlossen | gilt als | gelten die | s engage | se obliga"
        " | si impegna | must not | will not | may only | must be | is required to | bears the cost"
        " | at the cost of | at its cost | without the consent | is responsible for | grants"
        " | permission is granted | reserves the right | hat zu | haben zu | zu tragen | tragt die"
        " | ist untersagt | untersagt | ist zulassig | zulassig | nicht gestattet | ist gestattet | zustimmung"
        " | zustimmung des | behalt sich | vorbehalten | hat anspruch | anspruch auf | nach massgabe | im falle"
        " | in hohe von | einzuhalten | zu entrichten",
        2,
    ),
    Evidence(
        "contract_clauses",
        "text",
        "governing law | governed by | jurisdiction | severability | entire agreement | termination | terminate"
        " | terminated | notice period | notice of termination | months notice | days notice | written notice"
        " | in writing | liability | liable | indemnif* | warranty | warranties | warrants"
        " | confidential information | confidentiality | force majeure | intellectual property | assign"
        " | assignment | amendments | breach | remedies | effective date | commencement | commences"
        " | term of this | void | unenforceable | deposit | arbitration | gerichtsstand | salvatorisch*"
        " | schriftform | schlussbestimmungen | kundigung | kundigungsfrist | gekundigt | kundigen | haftung"
        " | haftet | gewahrleistung | geheimhaltung | vertraulich* | hohere gewalt | vertragsdauer"
        " | vertragsgegenstand | gegenstand des | laufzeit | mietzins | mietverhaltnis | arbeitsverhaltnis"
        " | kaution | probezeit | vertragsstrafe | rechtsnachfolger | unwirksam* | wirksamkeit"
        " | anderungen und erganzungen | der schriftform | schriftlich | fristlos* | grober fahrlassigkeit"
        " | vorsatz | resiliation | responsabilite | rescision | jurisdiccion | recesso | foro | opzegging"
        " | aansprakelijk* | as is | without warranty | insurance | limitation of liability | indemnity | renewal"
        " | expiry | expires | ownership | title to | risk passes | purchase price | consideration"
        " | payable in advance | exclusive | non exclusive | irrevocable | sublicense | sublet | vacate | notice"
        " | months written notice | six months notice | nebenabreden | mundliche | kaufpreis | eigentum"
        " | ubergabe | sachmangel | ausschluss | frist | mit einer frist | verlangert sich | vertragslaufzeit"
        " | wettbewerbsverbot | nutzungsrecht* | urheberrecht* | vergutung | verzug | rucktritt | widerruf"
        " | austritt | erfullungsort | anwendbares recht",
        3,
    ),
    Evidence(
        "contract_signing",
        "text",
        "in witness whereof | agreed as follows | agree as follows | hereby agree | hereby agreed | duly authori*"
        " | executed by | executed as | effective as of | made and entered | made on | represented by | residing at"
        " | registered office | wird folgender | wird folgendes | folgendes vereinbart | folgender vertrag"
        " | geschlossen zwischen | vereinbaren | vereinbaren die | vereinbart | vertreten durch | wohnhaft"
        " | gelesen und genehmigt | lu et approuve | il a ete convenu",
    ),
)
