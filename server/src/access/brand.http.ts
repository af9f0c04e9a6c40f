import { closed, endpoint, fileEndpoint, text } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { ShownBrand } from './brand.schema.ts'
import { loginBrand, loginLogo } from './brand.ts'
import { LOGO_TYPES, logoFile } from './logos.ts'

const tag = 'Settings'
/** Many may open the login page from one address. */
const A_MINUTE = 600

export function brandEndpoints({ db }: { db: Db }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      operation_id: 'getLoginBrand',
      path: '/brand',
      origin: { ours: 'the login page shows whose Kontor it is' },
      tag,
      summary: 'The brand on the login page',
      description:
        'Name, colour and logo of the only workspace. Where the service has several, all are ' +
        'null. Without a token.',
      permission: 'public',
      rate_limit: A_MINUTE,
      effect: 'read',
      data: ShownBrand,
      handle: () => loginBrand(db),
    }),
    fileEndpoint({
      operation_id: 'downloadLoginLogo',
      path: '/brand/logo',
      origin: { ours: 'the login page shows whose Kontor it is' },
      tag,
      summary: 'The logo on the login page',
      description: 'As `GET /brand` names it; 4004 where there is none. Without a token.',
      permission: 'public',
      rate_limit: A_MINUTE,
      pictures: LOGO_TYPES,
      file: () => loginLogo(db),
    }),
    fileEndpoint({
      operation_id: 'downloadLogo',
      path: '/brand/logos/:logo',
      origin: { ours: 'the console shows the logo of the workspace, also one of the past' },
      tag,
      summary: 'A logo of the workspace',
      description: 'As the setting `brand`, its history or `GET /auth/me` name it.',
      permission: 'authenticated',
      params: closed({ logo: text(100, 'Name of the file') }),
      pictures: LOGO_TYPES,
      file: ({ params, principal }) => logoFile(db, principal.workspace, params.logo),
    }),
  ]
}
