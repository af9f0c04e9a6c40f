/** The assets of the workspace, for whoever shows amounts or asks for them. */
import { asset, closed, endpoint, oneOf, text, Type } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { assetsOf } from './assets.ts'
import type { LedgerApp } from './manual-bookings.ts'

const AssetRecord = closed(
  {
    code: asset(),
    label: text(),
    kind: oneOf(['FIAT', 'CRYPTO']),
    scale: Type.Integer({
      minimum: 0,
      maximum: 18,
      description: 'Fraction digits of amounts; a request with more is refused (SCALE)',
    }),
  },
  { title: 'Asset' },
)

export const assetEndpoints = (app: LedgerApp): Endpoint[] => [
  endpoint({
    method: 'GET',
    operation_id: 'listAssets',
    path: '/assets',
    origin: { ours: 'a program must know how many fraction digits amounts of an asset have' },
    tag: 'Accounts',
    summary: 'The assets that the books know',
    permission: 'authenticated',
    effect: 'read',
    description: 'All of them, by their code. They are declared in the configuration file.',
    data: Type.Array(AssetRecord),
    handle: async ({ principal }) =>
      [...(await assetsOf(app.db, principal.workspace)).values()].map(
        ({ code, label, kind, scale }) => ({ code, label, kind, scale }),
      ),
  }),
]
