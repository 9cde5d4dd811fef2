package dev.colony.server.access;

import dev.colony.server.InvalidConfigurationException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Tells who makes a request. Thread-safe. */
public sealed interface Authenticator extends AutoCloseable {

  /** What came of asking. */
  sealed interface Entry {

    record Admitted(Principal principal) implements Entry {}

    /** There is no key, or an unknown one. */
    record NoKey() implements Entry {}

    /** The caller did not mean this machine by the name it called. */
    record ForeignHost(String host) implements Entry {}
  }

  /**
   * Asks.
   *
   * @param key if one was given
   * @param host what the caller calls this server, with or without a port
   * @param origin the page for which a browser makes the request, if the browser names it
   */
  Entry enter(Optional<String> key, String host, Optional<String> origin);

  @Override
  void close();

  /**
   * As the settings say.
   *
   * @param host what the server is to listen on
   * @throws InvalidConfigurationException if that is not this machine alone and there are no keys,
   *     or these cannot be read
   */
  static Authenticator open(AccessSettings settings, String host) {
    check(settings, host);
    return settings
        .keysFile()
        .<Authenticator>map(file -> new Keyed(KeysFile.open(file, settings.reload())))
        .orElseGet(Unlocked::new);
  }

  /**
   * That only this machine can do everything.
   *
   * @throws InvalidConfigurationException if the host is not this machine alone and there are no
   *     keys
   */
  static void check(AccessSettings settings, String host) {
    if (settings.keysFile().isEmpty() && !loopback(host)) {
      throw new InvalidConfigurationException(
          ("the HTTP API is to listen on %s without keys: name a file of keys by"
                  + " colony.access.keys-file (./colony key makes one), or listen on 127.0.0.1")
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

  /** One that wants a key. */
  record Keyed(KeysFile keys) implements Authenticator {

    @Override
    public Entry enter(Optional<String> key, String host, Optional<String> origin) {
      return key.flatMap(keys::holder).<Entry>map(Entry.Admitted::new).orElseGet(Entry.NoKey::new);
    }

    @Override
    public void close() {
      keys.close();
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

    @Override
    public Entry enter(Optional<String> key, String host, Optional<String> origin) {
      return Stream.concat(Stream.of(host), origin.stream())
          .filter(name -> !LOOPBACK.matcher(name.toLowerCase(Locale.ROOT)).matches())
          .findFirst()
          .<Entry>map(Entry.ForeignHost::new)
          .orElseGet(() -> new Entry.Admitted(Principal.LOCAL));
    }

    @Override
    public void close() {}
  }
}
