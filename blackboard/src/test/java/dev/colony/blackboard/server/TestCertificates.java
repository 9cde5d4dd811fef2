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
 * {@code server.key} for 127.0.0.1, {@code client.pem} and {@code client.key}. Made with the
 * keytool of the JDK that runs the tests.
 */
public record TestCertificates(Path directory) {

  private static final String PASSWORD = "changeit";
  private static final String STORE = "keys.p12";
  private static final int LINE = 64;

  /** Makes them in an existing directory. */
  public static TestCertificates in(Path directory) {
    TestCertificates certificates = new TestCertificates(directory);
    certificates.generate("ca", "-ext", "bc:c");
    certificates.generate("server", "-signer", "ca", "-ext", "san=ip:127.0.0.1");
    certificates.generate("client", "-signer", "ca");
    certificates.export();
    return certificates;
  }

  public Path file(String name) {
    return directory.resolve(name);
  }

  private void generate(String name, String... more) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", name, "-dname", "CN=" + name));
    command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "30"));
    command.addAll(List.of("-keystore", STORE, "-storetype", "PKCS12", "-storepass", PASSWORD));
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
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  private void export() {
    try (InputStream in = Files.newInputStream(file(STORE))) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD.toCharArray());
      for (String name : List.of("ca", "server", "client")) {
        write(name + ".pem", "CERTIFICATE", store.getCertificate(name).getEncoded());
        write(
            name + ".key", "PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded());
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (GeneralSecurityException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private void write(String file, String kind, byte[] encoded) throws IOException {
    String body =
        Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
            .encodeToString(encoded);
    Files.writeString(
        file(file), "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind));
  }
}
