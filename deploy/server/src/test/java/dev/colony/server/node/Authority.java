package dev.colony.server.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority and the certificate of all nodes that it signed, under the names that cert-manager
 * gives them: {@code ca.crt}, {@code tls.crt}, {@code tls.key}. Made with the JDK's keytool.
 */
public record Authority(Path directory) {

  private static final String PASSWORD = "changeit";
  private static final String STORE = "keys.p12";
  private static final int LINE = 64;

  private static final List<String> RSA = List.of("-keyalg", "RSA", "-keysize", "2048");
  public static final List<String> EC = List.of("-keyalg", "EC", "-groupname", "secp256r1");

  /** Makes them in an existing directory. */
  public static Authority in(Path directory) {
    Authority made = new Authority(directory);
    made.generate("authority", RSA, "-ext", "bc:c");
    made.certify("colony", directory);
    return made;
  }

  /** Signs the certificate of another name, and puts the three files into a directory. */
  public void certify(String name, Path to) {
    certify(name, RSA, to);
  }

  /** The same for a key of another kind. */
  public void certify(String name, List<String> kind, Path to) {
    generate(name, kind, "-signer", "authority", "-ext", "san=dns:" + name);
    export(name, to);
  }

  private void generate(String name, List<String> kind, String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-validity",
                "30",
                "-keystore",
                STORE,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
    command.addAll(kind);
    command.addAll(List.of(more));
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(command + ": " + said);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private void export(String name, Path to) {
    try (InputStream in = Files.newInputStream(directory.resolve(STORE))) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD.toCharArray());
      write(to.resolve("ca.crt"), "CERTIFICATE", store.getCertificate("authority").getEncoded());
      write(to.resolve("tls.crt"), "CERTIFICATE", store.getCertificate(name).getEncoded());
      write(
          to.resolve("tls.key"),
          "PRIVATE KEY",
          store.getKey(name, PASSWORD.toCharArray()).getEncoded());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (GeneralSecurityException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static void write(Path file, String kind, byte[] encoded) throws IOException {
    String body =
        Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
            .encodeToString(encoded);
    Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind));
  }
}
