package dev.colony.server.http;

import dev.colony.server.MountedFiles;
import dev.colony.server.MountedFiles.Spec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.apache.pekko.http.javadsl.ConnectionContext;
import org.apache.pekko.http.javadsl.HttpsConnectionContext;
import org.apache.pekko.pki.pem.DERPrivateKeyLoader;
import org.apache.pekko.pki.pem.PEMDecoder;
import org.apache.pekko.pki.pem.PEMDecoder.DERData;
import org.apache.pekko.pki.pem.PEMLoadingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the HTTP API shows its callers by TLS: the chain of certificates and the key of a directory,
 * under the names that cert-manager gives them, {@code tls.crt} and {@code tls.key}. Files that are
 * replaced count for connections from then on. Thread-safe.
 */
record ServerCertificate(MountedFiles<SSLContext> files) implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ServerCertificate.class);

  private static final String PKCS_8 = "PRIVATE KEY";
  private static final char[] WITHIN_THE_PROCESS = "colony".toCharArray();

  static ServerCertificate open(String directory, Duration reload) {
    return new ServerCertificate(
        MountedFiles.open(
            spec(directory),
            reload,
            (before, now) -> LOG.info("the certificate in {} is taken", directory)));
  }

  /**
   * Whether the files are right now.
   *
   * @throws dev.colony.server.InvalidConfigurationException in one line, if they are not
   */
  static void check(String directory) {
    spec(directory).read();
  }

  /** A connection gets what the files say as it is opened. */
  HttpsConnectionContext context() {
    return ConnectionContext.httpsServer(() -> {
      SSLEngine engine = files.value().createSSLEngine();
      engine.setUseClientMode(false);
      return engine;
    });
  }

  private static Spec<SSLContext> spec(String directory) {
    return new Spec<>(
        "colony.http.tls",
        "it is a directory with tls.crt and tls.key, as PEM",
        List.of(Path.of(directory, "tls.crt"), Path.of(directory, "tls.key")),
        contents -> context(contents.getFirst(), contents.getLast()));
  }

  private static SSLContext context(String chain, String key) {
    try {
      Certificate[] certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(chain.getBytes(StandardCharsets.UTF_8)))
              .toArray(Certificate[]::new);
      if (certificates.length == 0) {
        throw new IllegalArgumentException("tls.crt holds no certificate");
      }
      PublicKey shown = certificates[0].getPublicKey();
      PrivateKey own = key(key, shown.getAlgorithm());
      if (!pair(own, shown)) {
        throw new IllegalArgumentException(
            "tls.key is not the key of the first certificate in tls.crt");
      }
      warnUnlessValid((X509Certificate) certificates[0]);
      return context(certificates, own);
    } catch (CertificateException unfit) {
      throw new IllegalArgumentException("tls.crt: " + unfit.getMessage(), unfit);
    } catch (GeneralSecurityException | IOException unfit) {
      throw new IllegalArgumentException("tls.crt and tls.key cannot be used: " + unfit, unfit);
    }
  }

  /** Its callers refuse it; the node's agents need no caller. */
  private static void warnUnlessValid(X509Certificate certificate) {
    try {
      certificate.checkValidity();
    } catch (CertificateExpiredException | CertificateNotYetValidException unfit) {
      LOG.warn("the certificate of the HTTP API is not valid now: {}", unfit.getMessage());
    }
  }

  private static PrivateKey key(String pem, String algorithm) {
    try {
      DERData read = PEMDecoder.decode(pem);
      return read.label().equals(PKCS_8)
          ? KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(read.bytes()))
          : DERPrivateKeyLoader.load(read);
    } catch (PEMLoadingException | GeneralSecurityException unfit) {
      throw new IllegalArgumentException(
          "tls.key holds no %s key as PKCS #8".formatted(algorithm), unfit);
    }
  }

  /** Two files that are swapped one after the other do not belong together for a while. */
  private static boolean pair(PrivateKey own, PublicKey shown) throws GeneralSecurityException {
    Signature signature =
        Signature.getInstance(
            switch (shown.getAlgorithm()) {
              case "RSA" -> "SHA256withRSA";
              case "EC" -> "SHA256withECDSA";
              case String other -> other;
            });
    byte[] text = PKCS_8.getBytes(StandardCharsets.US_ASCII);
    signature.initSign(own);
    signature.update(text);
    byte[] signed = signature.sign();
    signature.initVerify(shown);
    signature.update(text);
    return signature.verify(signed);
  }

  private static SSLContext context(Certificate[] chain, PrivateKey key)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("api", key, WITHIN_THE_PROCESS, chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, WITHIN_THE_PROCESS);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  @Override
  public void close() {
    files.close();
  }
}
