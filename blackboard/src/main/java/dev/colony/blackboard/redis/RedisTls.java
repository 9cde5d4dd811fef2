package dev.colony.blackboard.redis;

import com.typesafe.config.Config;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Optional;

/**
 * Whom this process trusts, and as whom it shows itself, where the URL asks for TLS. The files are
 * read again for each new connection, so renewed ones are taken up without a restart.
 *
 * @param caFile certificates (PEM) of those who may sign a server's; the Java platform's if empty
 * @param verify what is checked of a server's certificate
 * @param certificateFile this process's certificate chain (PEM), for servers that ask for one
 * @param keyFile its private key (PEM, PKCS #8, not encrypted); given if the certificate is
 */
public record RedisTls(
    Optional<Path> caFile, Verify verify, Optional<Path> certificateFile, Optional<Path> keyFile) {

  /** No files, everything checked. */
  public static final RedisTls DEFAULTS =
      new RedisTls(Optional.empty(), Verify.FULL, Optional.empty(), Optional.empty());

  private static final String ROOT = "colony.blackboard.redis.tls";

  /** What is checked of a server's certificate. */
  public enum Verify {
    /** Who signed it, and that it is for the host that the URL names. */
    FULL(SslVerifyMode.FULL),
    /** Who signed it. */
    CA(SslVerifyMode.CA),
    /** Nothing: an attacker in between reads and writes everything. */
    NONE(SslVerifyMode.NONE);

    private final SslVerifyMode mode;

    Verify(SslVerifyMode mode) {
      this.mode = mode;
    }

    SslVerifyMode mode() {
      return mode;
    }
  }

  public RedisTls {
    if (certificateFile.isPresent() != keyFile.isPresent()) {
      throw new IllegalArgumentException(
          "%s.certificate-file is '%s' and %s.key-file is '%s', but must be both given or both empty"
              .formatted(ROOT, shown(certificateFile), ROOT, shown(keyFile)));
    }
  }

  /** Reads {@code colony.blackboard.redis.tls}; an empty path stands for none. */
  static RedisTls fromConfig(Config redis) {
    Config tls = redis.getConfig("tls");
    return new RedisTls(
        path(tls.getString("ca-file")),
        verify(tls.getString("verify")),
        path(tls.getString("certificate-file")),
        path(tls.getString("key-file")));
  }

  private static Verify verify(String word) {
    return switch (word) {
      case "full" -> Verify.FULL;
      case "ca" -> Verify.CA;
      case "none" -> Verify.NONE;
      default -> throw refused("verify", word, "full, ca or none");
    };
  }

  /**
   * As Lettuce wants it.
   *
   * @throws IllegalArgumentException naming the file that cannot be used and why
   */
  SslOptions sslOptions() {
    SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
    caFile.ifPresent(file -> {
      checkCertificates("ca-file", file);
      options.trustManager(file.toFile());
    });
    if (certificateFile.isPresent() && keyFile.isPresent()) {
      checkCertificates("certificate-file", certificateFile.get());
      if (!Files.isReadable(keyFile.get())) {
        throw refused("key-file", keyFile.get(), "a file that can be read");
      }
      options.keyManager(certificateFile.get().toFile(), keyFile.get().toFile(), null);
    }
    SslOptions built = options.build();
    keyFile.ifPresent(file -> checkKey(built, file));
    return built;
  }

  private static void checkCertificates(String key, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      if (CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) {
        throw refused(key, file, "a PEM file with certificates: it holds none");
      }
    } catch (IOException failure) {
      throw refused(key, file, "a file that can be read");
    } catch (CertificateException failure) {
      throw refused(key, file, "a PEM file with certificates: " + failure.getMessage());
    }
  }

  private static void checkKey(SslOptions options, Path file) {
    try {
      options.createSslContextBuilder().build();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException failure) {
      throw refused(
          "key-file", file, "the certificate's private key, PKCS #8 in PEM and not encrypted");
    }
  }

  private static Optional<Path> path(String file) {
    return file.isEmpty() ? Optional.empty() : Optional.of(Path.of(file));
  }

  private static String shown(Optional<Path> file) {
    return file.map(Path::toString).orElse("");
  }

  private static IllegalArgumentException refused(String key, Object value, String allowed) {
    return new IllegalArgumentException(
        ROOT + "." + key + " is " + value + ", but must be " + allowed);
  }
}
