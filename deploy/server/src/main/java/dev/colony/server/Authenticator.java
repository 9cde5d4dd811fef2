package dev.colony.server;

import dev.colony.blackboard.settings.Section;
import dev.colony.server.MountedFiles.Spec;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Tells who makes a request. Thread-safe. */
public sealed interface Authenticator extends AutoCloseable {

  sealed interface Entry {

    record Admitted(Principal principal) implements Entry {}

    /** There is no key, or an unknown one. */
    record NoKey() implements Entry {}

    /**
     * The token is not taken.
     *
     * @param why in one line, which holds nothing of the token but its algorithm
     */
    record BadToken(String why) implements Entry {}

    /**
     * Whether the token is good cannot be told now.
     *
     * @param why in one line
     */
    record Unverified(String why) implements Entry {}

    /** The caller did not mean this machine by the name it called. */
    record ForeignHost(String host) implements Entry {}
  }

  /** Whether {@link #enter} may block for such a key or token. */
  boolean blocks(Optional<String> credential);

  /**
   * Asks.
   *
   * @param credential a key or a token, if one was given
   * @param host what the caller calls this server, with or without a port
   * @param origin the page for which a browser makes the request, if the browser names it
   */
  Entry enter(Optional<String> credential, String host, Optional<String> origin);

  @Override
  void close();

  /**
   * As the settings say.
   *
   * @param host what the server is to listen on
   * @param reload how often the file of keys is looked at again
   * @throws InvalidConfigurationException if that is not this machine alone and there are no keys,
   *     or these cannot be read
   */
  static Authenticator open(AccessSettings settings, String host, Duration reload) {
    check(settings, host);
    return settings.open()
        ? new Unlocked()
        : new Keyed(
            settings
                .keysFile()
                .map(file -> MountedFiles.open(spec(file), reload, AuditLog::keysChanged)),
            settings.oidc().issuer().map(issuer -> TokenVerifier.of(settings.oidc())));
  }

  /**
   * That only this machine can do everything, and the file of keys is right now.
   *
   * @throws InvalidConfigurationException if the host is not this machine alone and there are
   *     neither keys nor tokens, or the keys cannot be read
   */
  static void check(AccessSettings settings, String host) {
    settings.keysFile().ifPresent(file -> spec(file).read());
    if (settings.open() && !loopback(host)) {
      throw new InvalidConfigurationException(
          ("the HTTP API is to listen on %s without keys: name a file of keys by"
               + " colony.access.keys-file (./colony key makes one), or whose tokens are taken by"
               + " colony.access.oidc, or listen on 127.0.0.1")
              .formatted(host));
    }
  }

  private static boolean loopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      throw new InvalidConfigurationException(
          "colony.http.host: there is no host " + host, unknown);
    }
  }

  /**
   * One that wants a key, or a token.
   *
   * @param tokens empty where only keys are taken
   */
  record Keyed(Optional<MountedFiles<KeyRing>> keys, Optional<TokenVerifier> tokens)
      implements Authenticator {

    @Override
    public boolean blocks(Optional<String> credential) {
      return tokens.isPresent() && credential.filter(TokenVerifier::like).isPresent();
    }

    @Override
    public Entry enter(Optional<String> credential, String host, Optional<String> origin) {
      return credential
          .flatMap(key -> keys.flatMap(ring -> ring.value().holder(key)))
          .<Entry>map(Entry.Admitted::new)
          .or(() ->
              credential
                  .filter(TokenVerifier::like)
                  .flatMap(token -> tokens.map(verifier -> verifier.enter(token))))
          .orElseGet(Entry.NoKey::new);
    }

    @Override
    public void close() {
      keys.ifPresent(MountedFiles::close);
      tokens.ifPresent(TokenVerifier::close);
    }
  }

  /**
   * One that lets in every process of this machine, but no page of a browser there that comes from
   * elsewhere: neither one that sends a request across origins, nor one that has the name of its
   * own server answered with a loopback address (DNS rebinding). The browser still says that name.
   */
  record Unlocked() implements Authenticator {

    private static final Pattern LOOPBACK =
        Pattern.compile("(https?://)?(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

    static boolean local(String name) {
      return LOOPBACK.matcher(name.toLowerCase(Locale.ROOT)).matches();
    }

    @Override
    public boolean blocks(Optional<String> credential) {
      return false;
    }

    @Override
    public Entry enter(Optional<String> credential, String host, Optional<String> origin) {
      return Stream.concat(Stream.of(host), origin.stream())
          .filter(name -> !local(name))
          .findFirst()
          .<Entry>map(Entry.ForeignHost::new)
          .orElseGet(() -> new Entry.Admitted(Principal.LOCAL));
    }

    @Override
    public void close() {}
  }

  /** The file of keys. */
  private static Spec<KeyRing> spec(String file) {
    return new Spec<>(
        "colony.access.keys-file",
        "./colony key makes keys",
        List.of(Path.of(file)),
        contents -> KeyRing.parse(contents.getFirst()));
  }

  /**
   * The settings under {@code colony.access}; reference.conf says what each means.
   *
   * @param keysFile empty for a node that takes no keys; without tokens either, it listens on
   *     loopback only
   */
  @Section("colony.access")
  record AccessSettings(Optional<String> keysFile, OidcSettings oidc) {

    public static final AccessSettings OPEN =
        new AccessSettings(Optional.empty(), OidcSettings.NONE);

    boolean open() {
      return keysFile.isEmpty() && oidc.issuer().isEmpty();
    }
  }

  /**
   * Whose tokens are taken, of OpenID Connect. Of issuer, jwksUrl and audience there are all or
   * none.
   *
   * @param jwksUrl where the issuer's public keys are
   * @param audience that tokens must be for
   */
  record OidcSettings(
      Optional<String> issuer,
      Optional<String> jwksUrl,
      Optional<String> audience,
      String tenantClaim,
      String roleClaim) {

    /** Takes no tokens. */
    public static final OidcSettings NONE =
        new OidcSettings(Optional.empty(), Optional.empty(), Optional.empty(), "tenant", "role");

    public OidcSettings {
      long given = Stream.of(issuer, jwksUrl, audience).filter(Optional::isPresent).count();
      if (given == 1 || given == 2) {
        throw new IllegalArgumentException("needs issuer, jwks-url and audience together");
      }
      if (tenantClaim.isBlank() || roleClaim.isBlank()) {
        throw new IllegalArgumentException("needs the names of two claims");
      }
      jwksUrl.ifPresent(OidcSettings::checkUrl);
    }

    /** What comes by plain HTTP from elsewhere, anybody on the way may have made. */
    private static void checkUrl(String text) {
      URI url = URI.create(text);
      boolean fit =
          url.getHost() != null
              && switch (url.getScheme()) {
                case "https" -> true;
                case "http" -> Unlocked.local(url.getAuthority());
                default -> false;
              };
      if (!fit) {
        throw new IllegalArgumentException(
            "jwks-url is %s, but must be https://..., or http://localhost...".formatted(text));
      }
    }
  }
}
