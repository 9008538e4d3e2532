"""Phrases of forms, empty or filled in."""

from inference.classes.phrases.evidence import Evidence

EVIDENCE = (
    Evidence(
        "form_title",
        "title",
        "form | *form | application | application for | application form | registration | registration form"
        " | enrollment | enrolment | questionnaire | survey form | claim | claim form | request for"
        " | request form | order form | declaration | declaration of | consent | change of address | checklist"
        " | sign up | intake | permission slip | *formular | formular | *antrag | antrag | antrag auf | anmeldung"
        " | *anmeldung | abmeldung | ummeldung | anmeldebogen | fragebogen | *bogen | *schein | *meldung"
        " | meldebogen | erklarung | *erklarung | einwilligung | *einwilligung | vollmacht | selbstauskunft"
        " | *auskunft | bestellschein | *abrechnung | anzeige | *anzeige | formulaire | demande de | inscription"
        " | solicitud | formulario | inscripcion | modulo | domanda | iscrizione | formulier | aanvraag*"
        " | inschrijving | aanmelding* | request | *request | register | visitor | sign in sheet | timesheet"
        " | worksheet | feedback | application to | record card | data sheet | mandate | direct debit | return"
        " | declaration form | *mandat | *liste | stammdaten* | *blatt | krankmeldung | *bestatigung | *nachweis"
        " | urlaubsantrag | einzugsermachtigung | *anforderung | *erfassung | aufnahmebogen | solicitud de"
        " | autorizacion | autorisation | dichiarazione",
    ),
    Evidence(
        "form_orders",
        "text",
        "block capitals | block letters | capital letters | please complete | complete this | complete all"
        " | complete in | please fill | fill in | fill out | filled in | please tick | tick the | tick one"
        " | tick if | tick all | tick box | check the box | check one | check all that apply | circle one"
        " | mark with | office use | official use | for internal use | do not write | required field*"
        " | required fields | mandatory field* | fields marked | print clearly | please print | this form"
        " | the form | completed form | return this | attach a copy | please attach | i certify | i declare"
        " | i hereby | i confirm | i authorize | i authorise | i consent | i agree | i understand"
        " | the undersigned | best of my knowledge | true and complete | true and correct | if applicable"
        " | delete as appropriate | use a separate | continue on | see instructions | druckbuchstaben"
        " | blockschrift | grossbuchstaben | zutreffendes | ankreuzen | angekreuzt | bitte ausfullen"
        " | auszufullen | ausfullen | ausgefullt* | fullen sie | dieses formular | das formular | diesen antrag"
        " | nicht ausfullen | amtliche vermerke | vermerke | vom amt | von der behorde | wird von | pflichtfeld*"
        " | pflichtangaben | ich versichere | ich erklare | ich bestatige | ich willige | ich ermachtige"
        " | ich beantrage | hiermit | hiermit beantrage | hiermit melde | wahrheitsgemass | nach bestem wissen"
        " | einverstanden | falls zutreffend | nur ausfullen | nichtzutreffendes | bitte beifugen | a remplir"
        " | cocher | cochez | je soussigne | majuscules | marque con | mayusculas | rellenar | stampatello"
        " | barrare | compilare | il sottoscritto | aankruisen | invullen | blokletters | ondergetekende"
        " | please list | please describe | please state | please give | please rate | please indicate"
        " | please select | please circle | please specify | please sign | describe the | list all | list any"
        " | circle | specify | enter the | give details | if yes | if no | if you answered | go to"
        " | for staff use | staff only | office only | office | approved | not approved | print name | underline"
        " | have you ever | are you | do you | did you | would you like | how many | how often | optional"
        " | bitte angeben | bitte leserlich | leserlich | bitte markieren | markieren | bitte eintragen"
        " | eintragen | bitte unterschreiben | bitte beschreiben | falls ja | wenn ja | wenn nein | weiter mit"
        " | haben sie | sind sie | nehmen sie | mochten sie | wie viele | wie oft | freiwillige angabe"
        " | freiwillig | nur vom | genehmigt | sachlich richtig | gez | richtigkeit | richtigkeit der angaben"
        " | angaben zur | angaben zum | angaben zu | einzuziehen | mittels lastschrift | stempel | por favor"
        " | marque | firma del",
        2,
    ),
    Evidence(
        "form_labels",
        "label",
        "name | first name | last name | surname | given name | given names | family name | middle name"
        " | full name | maiden name | title | date of birth | dob | birth date | place of birth | age | sex"
        " | gender | nationality | citizenship | marital status | address | home address | street"
        " | street address | house number | city | town | zip | zip code | postcode | postal code | state"
        " | county | country | phone | phone number | telephone | telephone number | mobile | cell | home phone"
        " | email | e mail | email address | occupation | job title | employer | department | company | signature"
        " | signed | date | place | initials | ssn | social security number | tax id | passport no"
        " | passport number | id number | policy no | policy number | insurance | account holder | iban"
        " | member no | membership no | membership number | student id | emergency contact | relationship"
        " | reason | comments | remarks | signature of applicant | applicant | parent | guardian"
        " | date of arrival | number of | vorname | nachname | familienname | geburtsname | anrede | titel"
        " | geburtsdatum | geboren am | geb am | geburtsort | alter | geschlecht | staatsangehorigkeit"
        " | nationalitat | familienstand | konfession | anschrift | adresse | strasse | strasse nr"
        " | strasse und hausnummer | hausnummer | plz | plz ort | postleitzahl | ort | wohnort | land | telefon"
        " | telefonnummer | tel | mobil | handy | e mail adresse | beruf | arbeitgeber | abteilung | firma"
        " | unterschrift | ort datum | datum unterschrift | ort datum unterschrift | datum | kontoinhaber"
        " | kreditinstitut | krankenkasse | versicherungsnummer | versichertennummer | steuer id | steuernummer"
        " | personalnummer | mitgliedsnummer | matrikelnummer | ausweisnummer | aktenzeichen | antragsteller"
        " | antragstellerin | erziehungsberechtigte* | eltern | kind | grund | bemerkungen | anzahl der"
        " | kennzeichen | zeitraum | nom | prenom | date de naissance | code postal | ville | nombre | apellidos"
        " | fecha de nacimiento | direccion | cognome | nome | data di nascita | indirizzo | naam | voornaam"
        " | geboortedatum | adres | woonplaats | handtekening | forename | forenames | initial | preferred name"
        " | contact no | contact number | contact person | daytime phone | work phone | next of kin | gp"
        " | allergies | medication | vehicle | registration no | make | model | unit no | apartment | site | time"
        " | time in | time out | from | to | start date | end date | requested by | approved by | authorised by"
        " | checked by | supervisor | manager | position | school | class | grade | year | id | dob m | card no"
        " | expiry date | amount | purpose | quantity | signature date | print name | your name | patient name"
        " | child s name | employee name | name of | address of | name des | name der | name und | name vorname"
        " | vornamen | geb | geburtstag | wohnung | strasse postfach | plz ort strasse | ansprechpartner"
        " | ansprechpartnerin | fax | mobilnummer | notfallnummer | erreichbarkeit | dienststelle | kostenstelle"
        " | personalnr | personal nr | klasse | schule | fahrzeug | uhrzeit | beginn | ende | von | bis | ziel"
        " | zweck | anlass | bank | bic | ust idnr | stempel | genehmigt | eingang | eingangsstempel"
        " | vorgangsnummer | sachbearbeiter | zeitpunkt | beruflich* | dni | telefono | municipio | fecha"
        " | domicilio | telefoon | datum handtekening",
        6,
    ),
    Evidence(
        "form_choices",
        "label",
        "yes | no | yes no | male | female | single | married | divorced | widowed | full time | part time | n a"
        " | other | mr | mrs | ms | none | i agree | new | renewal | very good | good | poor | ja | nein"
        " | ja nein | mannlich | weiblich | divers | ledig | verheiratet | geschieden | verwitwet | vollzeit"
        " | teilzeit | frau | herr | sonstiges | keine | entfallt | oui | non | homme | femme | si | hombre"
        " | mujer | y n | excellent | fair | satisfied | agree | disagree | strongly agree | never | sometimes"
        " | always | maybe | not applicable | male female | yes no maybe | approved | declined | sehr gut | gut"
        " | zufrieden | unzufrieden | stimme zu | trifft zu | trifft nicht zu | mangelhaft | nie | manchmal"
        " | immer | vielleicht | schlecht | massig | selbstandig | angestellt",
        2,
    ),
)
