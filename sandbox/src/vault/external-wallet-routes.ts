/** The vault's routes about external wallets, which are its allow-list. */
import { canonical, isAddress } from '../chain/address.ts'
import { findCoin } from '../chain/protocols.ts'
import { no, ok } from './answer.ts'
import { ROOT, isText } from './api.ts'
import type { Api, Params } from './api.ts'
import type { ExternalWallets } from './external-wallets.ts'
import { externalAssetWire, externalWalletWire } from './wire.ts'

export function mountExternalWallets(api: Api, external: ExternalWallets): void {
  mountWallets(api, external)
  mountAddresses(api, external)
}

function mountWallets({ server, answer, read }: Api, external: ExternalWallets): void {
  read('/external_wallets', 'list_external_wallets', () =>
    ok(external.all().map((wallet) => externalWalletWire(wallet, external.assets(wallet.id)))),
  )
  read('/external_wallets/:id', 'get_external_wallet', ({ params }) => {
    const wallet = external.wallet(params.id)
    return wallet === undefined
      ? no(404, 1404, 'External wallet was not found')
      : ok(externalWalletWire(wallet, external.assets(wallet.id)))
  })
  read('/external_wallets/:id/:asset', 'get_external_address', ({ params }) => {
    const entry = external.asset(params.id, params.asset)
    return entry === undefined
      ? no(404, 1404, 'External wallet asset was not found')
      : ok(externalAssetWire(entry))
  })
  server.post<{ Body: { name?: string; customerRefId?: string } }>(
    `${ROOT}/external_wallets`,
    (request, reply) => {
      const { name, customerRefId } = request.body
      return answer(
        request,
        reply,
        { name: 'create_external_wallet', reference: customerRefId ?? name ?? '' },
        () =>
          isText(name)
            ? ok(
                externalWalletWire(
                  external.create({ name, customer_ref_id: customerRefId ?? null }),
                  [],
                ),
              )
            : no(400, 1400, 'name is required'),
      )
    },
  )
}

/** A memo of Stellar is a number or text of at most 28 bytes, or 32 bytes in hexadecimal. */
const isTag = (protocol: string, tag: string): boolean =>
  protocol === 'XLM'
    ? Buffer.byteLength(tag) <= 28 || /^[0-9a-f]{64}$/i.test(tag)
    : /^[0-9]{1,10}$/.test(tag)

function mountAddresses({ server, answer }: Api, external: ExternalWallets): void {
  server.post<{ Params: Params; Body: { address?: string; tag?: string } }>(
    `${ROOT}/external_wallets/:id/:asset`,
    (request, reply) => {
      const { id, asset } = request.params
      const { address, tag } = request.body
      return answer(
        request,
        reply,
        { name: 'add_external_address', reference: `${id}/${asset}` },
        () => {
          if (external.wallet(id) === undefined)
            return no(404, 1404, 'External wallet was not found')
          const coin = findCoin(asset)
          if (coin === undefined) return no(400, 1006, 'The requested asset is not supported')
          const { protocol, tags } = coin.protocol
          if (!isText(address) || !isAddress(protocol, address))
            return no(400, 1400, 'address is not valid')
          if (tag !== undefined && tag !== '' && (!tags || !isTag(protocol, tag)))
            return no(400, 1400, 'tag is not valid')
          const entry = external.add({
            wallet_id: id,
            asset,
            address: canonical(protocol, address),
            tag: tag === undefined || tag === '' ? null : tag,
          })
          return entry === undefined
            ? no(400, 1400, 'External wallet already has an address of this asset')
            : ok(externalAssetWire(entry))
        },
      )
    },
  )
  server.delete<{ Params: Params }>(`${ROOT}/external_wallets/:id/:asset`, (request, reply) => {
    const { id, asset } = request.params
    return answer(
      request,
      reply,
      { name: 'remove_external_address', reference: `${id}/${asset}` },
      () =>
        external.remove(id, asset)
          ? { status: 201, body: undefined }
          : no(404, 1404, 'External wallet asset was not found'),
    )
  })
}
