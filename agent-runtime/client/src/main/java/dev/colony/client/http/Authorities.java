package dev.colony.client.http;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.http.ColonyApi.HttpBounds.Operators;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The authorities by which the certificate of a colony's API is checked. */
public final class Authorities {

  private Authorities() {}

  /**
   * Has a client trust those that {@code colony.agent.http.ca-file} names, in place of Java's own.
   *
   * @throws IllegalArgumentException in one line, if they cannot be read
   */
  public static HttpClient.Builder into(HttpClient.Builder client, Config config) {
    return Settings.read(Operators.class, config)
        .caFile()
        .map(file -> client.sslContext(context(Path.of(file))))
        .orElse(client);
  }

  private static SSLContext context(Path file) {
    try (InputStream pem = Files.newInputStream(file)) {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(pem);
      if (all.isEmpty()) {
        throw new IllegalArgumentException(
            "colony.agent.http.ca-file: %s holds no certificate".formatted(file));
      }
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      for (Certificate one : all) {
        trusted.setCertificateEntry("authority-" + trusted.size(), one);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException unfit) {
      throw new IllegalArgumentException(
          "colony.agent.http.ca-file: %s cannot be read as PEM: %s".formatted(file, unfit), unfit);
    }
  }
}
