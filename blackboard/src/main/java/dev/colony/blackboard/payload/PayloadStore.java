package dev.colony.blackboard.payload;

import dev.colony.blackboard.settings.Section;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps payloads by name: some bytes that are never changed. Names are of lower-case letters,
 * digits, dots, hyphens and slashes. All methods block; they are thread-safe and may be repeated.
 * They fail with an {@link IOException} where the store cannot be reached, and with {@link
 * RefusedException} where a repetition would not help.
 */
public interface PayloadStore extends AutoCloseable {

  /** Keeps a payload; it is durable when this returns. */
  void put(String name, byte[] bytes) throws IOException;

  /**
   * The first bytes of a payload; empty where there is none of that name.
   *
   * @param most how many, at least 1
   */
  Optional<byte[]> get(String name, int most) throws IOException;

  /** Deletes a payload, if there is one of that name. */
  void delete(String name) throws IOException;

  /**
   * Names in their order.
   *
   * @param prefix that they begin with, up to a slash
   * @param after only those behind this one, which begins with the prefix too; empty for all
   * @param most how many, 1 to 1000
   */
  List<String> list(String prefix, String after, int most) throws IOException;

  /** The store as operators know it, for messages. */
  @Override
  String toString();

  @Override
  void close();

  /**
   * The store will not do it, however often it is asked: a key is wrong, or a bucket is not there.
   */
  final class RefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Opens the store that the settings name; empty where they name none.
   *
   * @throws IllegalArgumentException where it lacks credentials
   * @throws UncheckedIOException where the folder is none that can be written to
   */
  static Optional<PayloadStore> open(PayloadSettings settings) {
    return settings.store().isEmpty()
        ? Optional.empty()
        : Optional.of(
            settings
                .folder()
                .<PayloadStore>map(FolderStore::new)
                .orElseGet(() ->
                    new S3Store(settings, RequestSignature.ofEnvironment(settings.region()))));
  }

  /**
   * Which store; the keys are described in {@code reference.conf}.
   *
   * @param store {@code file:/folder} or {@code s3://bucket/prefix}; empty for none
   * @param endpoint the base URL of an S3-compatible store; empty for that of AWS
   */
  @Section("colony.payloads")
  record PayloadSettings(String store, String endpoint, String region) {

    private static final Pattern FOLDER = Pattern.compile("file:(?://)?(/.+)");
    private static final Pattern BUCKET =
        Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([a-zA-Z0-9._/-]*))?");

    public PayloadSettings {
      if (!store.isEmpty()
          && !FOLDER.matcher(store).matches()
          && !BUCKET.matcher(store).matches()) {
        throw new IllegalArgumentException(
            "store is %s, but must be file:/folder, s3://bucket/prefix or empty".formatted(store));
      }
      if (!endpoint.isEmpty() && !endpoint.matches("https?://[^/?#@]+/?")) {
        throw new IllegalArgumentException(
            "endpoint is %s, but must be like https://host:port or empty".formatted(endpoint));
      }
      if (!region.matches("[a-z0-9-]+")) {
        throw new IllegalArgumentException(
            "region is %s, but must be of lower-case letters, digits and hyphens"
                .formatted(region));
      }
    }

    Optional<Path> folder() {
      Matcher folder = FOLDER.matcher(store);
      return folder.matches() ? Optional.of(Path.of(folder.group(1))) : Optional.empty();
    }

    String bucket() {
      return s3().group(1);
    }

    /** What all names in the bucket begin with: empty, or ends with a slash. */
    String prefix() {
      String prefix = Optional.ofNullable(s3().group(2)).orElse("");
      return prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + "/";
    }

    URI base() {
      return URI.create(
          endpoint.isEmpty()
              ? "https://s3.%s.amazonaws.com".formatted(region)
              : endpoint.replaceAll("/$", ""));
    }

    private Matcher s3() {
      Matcher bucket = BUCKET.matcher(store);
      if (!bucket.matches()) {
        throw new IllegalStateException(store + " names no bucket");
      }
      return bucket;
    }
  }
}
