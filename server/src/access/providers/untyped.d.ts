/** What the tests use of `oidc-provider`, which comes without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Claims = Readonly<Record<string, unknown>>
  type Interaction = { prompt: { name: string; details: Claims }; params: Claims }
  type Grant = {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  type Client = { backchannelLogout(sub: string, sid?: string): Promise<void> }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>
    readonly Client: {
      find(client_id: string): Promise<Client | undefined>
      readonly prototype: { redirectUriAllowed(redirect_uri: string): boolean }
    }
    readonly Grant: new (of: { accountId: string; clientId: string }) => Grant
    on(event: string, told: (context: unknown, error: Error) => void): void
  }
}
