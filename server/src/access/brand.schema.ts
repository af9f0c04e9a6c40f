/** How a workspace shows itself: to its people, and on what it hands out. */
import { closed, nullable, optional, requiredText, text, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'

const MAXIMUM_NAME = 200
const MAXIMUM_LINE = 100
const MAXIMUM_LINES = 6
const COLOUR_LENGTH = 7
/** Of a file as a data URL. */
const MAXIMUM_LOGO = 90_000
export const MAXIMUM_LOGO_BYTES = 65_536

const lines = (description: string) =>
  optional(
    Type.Array(requiredText(MAXIMUM_LINE), { minItems: 1, maxItems: MAXIMUM_LINES, description }),
  )

/** `logo` is another text in a file. */
export const brandWith = (logo: string) =>
  closed(
    {
      name: optional(
        requiredText(MAXIMUM_NAME, 'In the console and on papers; mails are signed with it'),
      ),
      legal_name: optional(requiredText(MAXIMUM_NAME, 'On papers, above the address')),
      address: lines('Lines of the address, on papers'),
      contact: lines('Lines below the address, on papers: telephone, mail, …'),
      accent: optional(
        requiredText(
          COLOUR_LENGTH,
          'Colour of links and buttons in the console and of the line on papers, such as ' +
            '#0b57a4. The console makes it darker or lighter until it can be read',
        ),
      ),
      logo: optional(requiredText(MAXIMUM_LOGO, logo)),
    },
    {
      description:
        'Name, address, colour and logo, in the console, on papers and in mails. What is absent ' +
        'is the name of the workspace, or is not shown',
    },
  )

export const brandSchema = brandWith(
  'Name of the file, as it is read here; or a new one, PNG or SVG of at most 64 KiB, as ' +
    'data:image/png;base64,… A logo as SVG is shown in the console, not on papers',
)
export type Brand = Static<typeof brandSchema>

/** What the console shows of it. */
export const ShownBrand = closed(
  {
    name: nullable(text(MAXIMUM_NAME)),
    accent: nullable(text(COLOUR_LENGTH, 'Such as #0b57a4')),
    logo: nullable(text(100, 'Name of the file')),
  },
  { title: 'Brand' },
)
export type ShownBrand = Static<typeof ShownBrand>
