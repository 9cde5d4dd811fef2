package dev.colony.server.http;

import dev.colony.server.access.Authenticator;
import dev.colony.server.access.Principal;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The caller of a request, as its head says. The authenticator may be asked again later: keys come
 * and go while a stream is open. Immutable; no record, since its words would hold the key.
 */
final class Caller {

  private static final String BEARER = "bearer ";

  private final Authenticator authenticator;
  private final Optional<String> key;
  private final String host;
  private final Optional<String> origin;

  /**
   * @param headers by their names in lower case
   */
  Caller(Authenticator authenticator, Map<String, String> headers) {
    this.authenticator = authenticator;
    this.key =
        Optional.ofNullable(headers.get("authorization"))
            .filter(value -> value.toLowerCase(Locale.ROOT).startsWith(BEARER))
            .map(value -> value.substring(BEARER.length()).strip());
    this.host = headers.getOrDefault("host", "");
    this.origin = Optional.ofNullable(headers.get("origin"));
  }

  /**
   * Who that is now.
   *
   * @throws Refusal if the authenticator does not let the caller in
   */
  Principal principal() {
    return switch (authenticator.enter(key, host, origin)) {
      case Authenticator.Entry.Admitted admitted -> admitted.principal();
      case Authenticator.Entry.NoKey none ->
          throw Refusal.of(
              Code.NO_KEY,
              "give a valid key: Authorization: Bearer KEY",
              Map.of("WWW-Authenticate", "Bearer realm=\"colony\""));
      case Authenticator.Entry.ForeignHost foreign ->
          throw Refusal.of(
              Code.FOREIGN_HOST,
              "without keys this server is for its own machine only: call it localhost, and from no"
                  + " page of another origin");
    };
  }
}
