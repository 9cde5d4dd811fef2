package dev.colony.server;

import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.value.Text;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells who makes a request. Thread-safe. */
public sealed interface Authenticator extends AutoCloseable {

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
   * @param reload how often the file of keys is looked at again
   * @throws InvalidConfigurationException if that is not this machine alone and there are no keys,
   *     or these cannot be read
   */
  static Authenticator open(AccessSettings settings, String host, Duration reload) {
    check(settings, host);
    return settings
        .keysFile()
        .<Authenticator>map(file -> new Keyed(KeysFile.open(Path.of(file), reload)))
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

  /**
   * The keys of a file, as it stands now. What is mounted into a container changes by the swap of a
   * symbolic link, which no time stamp shows reliably, so the content itself is read again and
   * again. A file that is away or wrong changes nothing: the keys of before are good until a right
   * one is there. Thread-safe.
   */
  public static final class KeysFile implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(KeysFile.class);

    /** Of a file of keys. */
    public static final int MOST_BYTES = 1 << 20;

    private final Path file;
    private final ScheduledExecutorService timer;
    private volatile KeyRing ring;
    private String seen;
    private String complaint = "";

    private KeysFile(Path file, String content, KeyRing ring) {
      this.file = file;
      this.seen = content;
      this.ring = ring;
      this.timer =
          Executors.newSingleThreadScheduledExecutor(
              Thread.ofPlatform().daemon().name("keys-file").factory());
    }

    /**
     * Reads it, and again after each pause.
     *
     * @throws InvalidConfigurationException if it cannot be read now, or is wrong
     */
    public static KeysFile open(Path file, Duration reload) {
      try {
        String content = content(file);
        KeysFile opened = new KeysFile(file, content, KeyRing.parse(content));
        opened.timer.scheduleWithFixedDelay(
            opened::look, reload.toMillis(), reload.toMillis(), TimeUnit.MILLISECONDS);
        return opened;
      } catch (IOException | IllegalArgumentException bad) {
        throw new InvalidConfigurationException(
            "colony.access.keys-file: %s: %s; ./colony key makes keys".formatted(file, words(bad)),
            bad);
      }
    }

    /** The holder of a key; empty if the key is not in the file. */
    public Optional<Principal> holder(String key) {
      return ring.holder(key);
    }

    private synchronized void look() {
      try {
        String content = content(file);
        if (!content.equals(seen)) {
          ring = KeyRing.parse(content);
          seen = content;
          LOG.info("{} now holds {} keys", file, ring.keys().size());
        }
        complaint = "";
      } catch (IOException | RuntimeException bad) {
        String words = words(bad);
        if (!words.equals(complaint)) {
          complaint = words;
          LOG.warn("{} is not taken, the keys of before stay good: {}", file, words);
        }
      }
    }

    private static String content(Path file) throws IOException {
      return Text.ofFile(file, MOST_BYTES);
    }

    private static String words(Exception bad) {
      return switch (bad) {
        case NoSuchFileException none -> "cannot be read: there is no such file";
        case IOException unreadable -> "cannot be read (" + unreadable + ")";
        default -> bad.getMessage();
      };
    }

    @Override
    public void close() {
      timer.shutdownNow();
    }
  }

  /**
   * The settings under {@code colony.access}; reference.conf says what each means.
   *
   * @param keysFile empty for a node that needs no key, which listens on loopback only
   */
  @Section("colony.access")
  record AccessSettings(Optional<String> keysFile) {

    public static final AccessSettings OPEN = new AccessSettings(Optional.empty());
  }
}
