package dev.colony.blackboard.redis;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Optional;

/**
 * How this process speaks to Redis.
 *
 * @param commandTimeout how long one command may take, reconnects included, before it fails
 * @param waitReplicas how many replicas have to have a change before it counts as stored; 0 for
 *     none
 * @param allowNoAof whether a server may be used that keeps nothing over a restart
 * @param tls for URLs that ask for TLS
 * @param bounds what is not configured
 */
public record RedisSettings(
    Duration commandTimeout, int waitReplicas, boolean allowNoAof, RedisTls tls, Bounds bounds) {

  /**
   * What no operator has a reason to change; tests do.
   *
   * @param reconnectMin the pause before the first attempt to reconnect; doubles with each attempt
   * @param reconnectMax the longest such pause
   * @param requestQueue how many commands may be under way or waiting for a connection
   * @param silentAfter how long Redis may leave a question unanswered before it counts as away
   */
  public record Bounds(
      Duration reconnectMin, Duration reconnectMax, int requestQueue, Duration silentAfter) {

    static final Bounds USUAL =
        new Bounds(Duration.ofMillis(50), Duration.ofSeconds(1), 100_000, Duration.ofSeconds(2));
  }

  @Section("colony.blackboard.redis")
  private record Configured(
      @Range(min = "1 ms", max = "1 d") Duration commandTimeout,
      @Range(min = "0", max = "100") int waitReplicas,
      boolean allowNoAof,
      RedisTls tls) {}

  /** The defaults of {@code reference.conf}, with another command timeout. */
  public static RedisSettings withTimeout(Duration commandTimeout) {
    return fromConfig(ConfigFactory.defaultReference(RedisSettings.class.getClassLoader()))
        .withCommandTimeout(commandTimeout);
  }

  /** Reads {@code colony.blackboard.redis}. */
  public static RedisSettings fromConfig(Config config) {
    Configured read = Settings.read(Configured.class, config);
    return new RedisSettings(
        read.commandTimeout(), read.waitReplicas(), read.allowNoAof(), read.tls(), Bounds.USUAL);
  }

  public RedisSettings withCommandTimeout(Duration timeout) {
    return new RedisSettings(timeout, waitReplicas, allowNoAof, tls, bounds);
  }

  public RedisSettings withWaitReplicas(int replicas) {
    return new RedisSettings(commandTimeout, replicas, allowNoAof, tls, bounds);
  }

  public RedisSettings withAllowNoAof(boolean allow) {
    return new RedisSettings(commandTimeout, waitReplicas, allow, tls, bounds);
  }

  public RedisSettings withTls(RedisTls newTls) {
    return new RedisSettings(commandTimeout, waitReplicas, allowNoAof, newTls, bounds);
  }

  public RedisSettings withReconnect(Duration min, Duration max) {
    return withBounds(new Bounds(min, max, bounds.requestQueue, bounds.silentAfter));
  }

  public RedisSettings withRequestQueue(int queue) {
    return withBounds(
        new Bounds(bounds.reconnectMin, bounds.reconnectMax, queue, bounds.silentAfter));
  }

  public RedisSettings withSilentAfter(Duration silent) {
    return withBounds(
        new Bounds(bounds.reconnectMin, bounds.reconnectMax, bounds.requestQueue, silent));
  }

  private RedisSettings withBounds(Bounds newBounds) {
    return new RedisSettings(commandTimeout, waitReplicas, allowNoAof, tls, newBounds);
  }

  /**
   * Whom this process trusts, and as whom it shows itself, where the URL asks for TLS. The files
   * are read again for each new connection, so renewed ones are taken up without a restart.
   *
   * @param caFile certificates (PEM) of those who may sign a server's; the Java platform's if empty
   * @param verify what is checked of a server's certificate
   * @param certificateFile this process's certificate chain (PEM), for servers that ask for one
   * @param keyFile its private key (PEM, PKCS #8, not encrypted); given if the certificate is
   */
  public record RedisTls(
      Optional<Path> caFile,
      Verify verify,
      Optional<Path> certificateFile,
      Optional<Path> keyFile) {

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
            "certificate-file is '%s' and key-file is '%s', but must be both given or both empty"
                .formatted(shown(certificateFile), shown(keyFile)));
      }
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

    private static String shown(Optional<Path> file) {
      return file.map(Path::toString).orElse("");
    }

    private static IllegalArgumentException refused(String key, Object value, String allowed) {
      return new IllegalArgumentException(
          ROOT + "." + key + " is " + value + ", but must be " + allowed);
    }
  }
}
