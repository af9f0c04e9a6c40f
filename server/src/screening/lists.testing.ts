/**
 * Small lists in the forms of the public ones, about nobody. The forms are those of OFAC's files
 * (ofac.treasury.gov, Sanctions List Service) and of csvFullSanctionsList_1_1 of the European
 * Union, as moov-io/watchman reads them (pkg/sources/ofac/reader.go, pkg/sources/csl_eu/csl.go).
 */
import type { ListFile } from './read-files.ts'

const file = (path: string, content: string): ListFile => ({ path, bytes: Buffer.from(content) })

const NOTHING = Array.from({ length: 7 }, () => '-0- ').join(',')
/** Cut in the middle of an address, as OFAC cuts it. */
export const LISTED_BITCOIN = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'
export const LISTED_ETHER = '0x7Db418b5D567A4e0E8c59Ad71BE1FcE48f3E6107'

export const SDN = [
  `36,"INVENTED AIRLINES",-0- ,"CUBA",${NOTHING},-0- `,
  `41,"MUSTERMANN, Søren Émile","individual","SDGT] [IFSR",${NOTHING},` +
    `"DOB 1 Jan 1970; Digital Currency Address - XBT ${LISTED_BITCOIN.slice(0, 9)}"`,
  `57,"FREE "QUOTED" BANK",-0- ,"DPRK3",${NOTHING},"SWIFT/BIC INVEDEFFXXX; a.k.a. 'IB BANK'."`,
].join('\r\n')
export const ALT =
  '41,9001,"aka","O\'NEIL, Sorén",-0- \r\n36,9002,"fka","INVAIR S.A.",-0- \r\n\u001a'
const COMMENTS =
  `41,"${LISTED_BITCOIN.slice(9)}; alt. Digital Currency Address - ETH ${LISTED_ETHER}; ` +
  `Phone Number 1."\r\n`
const ADD = '36,25,"Calle Inventada 1","La Habana","Cuba",-0- \r\n'

export const ofacFiles = ({ sdn = SDN, alt = ALT, comments = COMMENTS } = {}): ListFile[] => [
  file('sdn.csv', sdn),
  file('alt.csv', alt),
  file('sdn_comments.csv', comments),
  file('add.csv', ADD),
]

const xmlEntry = (uid: number, more: string): string =>
  `<sdnEntry><uid>${uid}</uid>${more}` +
  '<programList><program>CYBER2</program></programList></sdnEntry>'

export const ofacXml = (...broken: string[]): ListFile[] => [
  file(
    'SDN.XML',
    '<?xml version="1.0" standalone="yes"?>\n' +
      '<sdnList xmlns="http://tempuri.org/sdnList.xsd">\n' +
      '<publshInformation><Publish_Date>11/24/2026</Publish_Date></publshInformation>\n' +
      [
        xmlEntry(
          41,
          '<firstName>Søren Émile</firstName><lastName>MUSTERMANN</lastName>' +
            '<sdnType>Individual</sdnType><remarks>DOB 1970</remarks>' +
            '<idList><id><uid>1</uid><idType>Digital Currency Address - XBT</idType>' +
            `<idNumber>${LISTED_BITCOIN}</idNumber></id></idList>` +
            '<akaList><aka><uid>2</uid><type>a.k.a.</type><lastName>SORENSEN</lastName></aka>' +
            '</akaList>',
        ),
        ...broken,
        xmlEntry(57, '<lastName>INVENTED &amp; SONS</lastName><sdnType>Entity</sdnType>'),
      ].join('\n') +
      '\n</sdnList>\n',
  ),
]

const EU_COLUMNS =
  'fileGenerationDate;Entity_LogicalId;Entity_Remark;Entity_SubjectType_ClassificationCode;' +
  'Entity_Regulation_Programme;NameAlias_LastName;NameAlias_FirstName;NameAlias_MiddleName;' +
  'NameAlias_WholeName;Address_City'

export const euFile = (): ListFile[] => [
  file(
    'eu.csv',
    [
      `\ufeff${EU_COLUMNS}`,
      '24/11/2026;13;"(a resolution\nof 2003)";person;TAQA;Beispiel;Zoë;;Zoë Beispiel;',
      '24/11/2026;13;;person;TAQA;;;;Abu Erfunden;Basra',
      '24/11/2026;99;;enterprise;RUS;;;JSC Erfunden Bank',
      '24/11/2026;x;;enterprise;RUS;;;;Nobody;',
      '24/11/2026;101;;enterprise;RUS;Handel;Erfundener;;;Moskau',
    ].join('\n'),
  ),
]
