package dev.colony.blackboard.server;

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
 * An authority of its own and what it signed, as PEM files: {@code ca.pem}, {@code server.pem} and
 * {@code server.key} for 127.0.0.1, {@code client.pem} and {@code client.key}. Made with the JDK's
 * keytool, which ships with every JDK that runs these tests.
 */
public record TestCertificates(Path directory) {

  private static final String PASSWORD = "changeit";
  private static final String STORE = "keys.p12";

  /** Makes them in an existing directory. */
  public static TestCertificates in(Path directory) {
    TestCertificates certificates = new TestCertificates(directory);
    certificates.generate("ca", "bc:c");
    certificates.export("ca");
    certificates.sign("server", "san=ip:127.0.0.1");
    certificates.sign("client", "eku=clientAuth");
    return certificates;
  }

  public Path file(String name) {
    return directory.resolve(name);
  }

  private void sign(String name, String extension) {
    generate(name, extension);
    keytool("-certreq", "-alias", name, "-file", name + ".csr");
    keytool(
        "-gencert",
        "-alias",
        "ca",
        "-infile",
        name + ".csr",
        "-outfile",
        name + ".pem",
        "-rfc",
        "-validity",
        "30",
        "-ext",
        extension);
    exportKey(name);
  }

  private void generate(String name, String extension) {
    keytool(
        "-genkeypair",
        "-alias",
        name,
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        "CN=" + name,
        "-validity",
        "30",
        "-ext",
        extension);
  }

  private void export(String name) {
    keytool("-exportcert", "-alias", name, "-rfc", "-file", name + ".pem");
  }

  private void exportKey(String name) {
    try (InputStream in = Files.newInputStream(file(STORE))) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD.toCharArray());
      byte[] key = store.getKey(name, PASSWORD.toCharArray()).getEncoded();
      String body =
          Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(key);
      Files.writeString(
          file(name + ".key"),
          "-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (GeneralSecurityException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private void keytool(String... arguments) {
    List<String> command =
        new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool") + ""));
    command.addAll(List.of(arguments));
    command.addAll(List.of("-keystore", STORE, "-storetype", "PKCS12", "-storepass", PASSWORD));
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
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }
}
