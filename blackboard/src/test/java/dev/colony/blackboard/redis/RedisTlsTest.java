package dev.colony.blackboard.redis;

import static dev.colony.blackboard.redis.UnfitServerTest.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.redis.RedisSettings.RedisTls;
import dev.colony.blackboard.server.TestCertificates;
import dev.colony.blackboard.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that speaks TLS only and asks for a client's certificate. */
class RedisTlsTest {

  @TempDir private static Path temp;
  private static TestCertificates certificates;
  private static TestServer server;

  @BeforeAll
  static void start() {
    certificates = TestCertificates.in(temp);
    server =
        TestServer.start(
            "port 0",
            "tls-port {port}",
            "tls-cert-file " + certificates.file("server.pem"),
            "tls-key-file " + certificates.file("server.key"),
            "tls-ca-cert-file " + certificates.file("ca.pem"),
            "tls-auth-clients yes");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void commandsAndPushesGoOverTls() {
    try (RedisConnections redis = connect("127.0.0.1", tls(RedisTls.Verify.FULL))) {
      byte[] large = new byte[1_000_000];
      redis.commands().set("k", large).toCompletableFuture().join();
      assertThat(redis.commands().get("k").toCompletableFuture().join()).isEqualTo(large);
      assertThat(redis.connectPubSub().async().publish("c", large).toCompletableFuture().join())
          .isZero();
    }
  }

  @Test
  void serverForAnotherHostIsRefusedUnlessOnlyItsSignerCounts() {
    assertRefused(url("localhost"), settings(tls(RedisTls.Verify.FULL)), Reason.TLS, "redis.tls");
    connect("localhost", tls(RedisTls.Verify.CA)).close();
  }

  @Test
  void unknownSignerIsRefusedUnlessNothingCounts() {
    RedisTls trustsJava =
        new RedisTls(
            Optional.empty(),
            RedisTls.Verify.CA,
            tls(RedisTls.Verify.CA).certificateFile(),
            tls(RedisTls.Verify.CA).keyFile());
    assertRefused(url("127.0.0.1"), settings(trustsJava), Reason.TLS, "redis.tls");
    connect(
            "127.0.0.1",
            new RedisTls(
                Optional.empty(),
                RedisTls.Verify.NONE,
                trustsJava.certificateFile(),
                trustsJava.keyFile()))
        .close();
  }

  @Test
  void serverThatWantsTlsIsNotReachedWithout() {
    assertRefused(
        url("127.0.0.1").replace("rediss:", "redis:"),
        settings(RedisSettings.withTimeout(Duration.ofSeconds(5)).tls()),
        Reason.UNREACHABLE,
        "rediss:// where it wants TLS");
  }

  @Test
  void tlsWithAServerThatHasNoneIsSaid() {
    try (TestServer plain = TestServer.start()) {
      assertRefused(
          plain.uri().replace("redis:", "rediss:"),
          RedisSettings.withTimeout(Duration.ofMillis(500)).withTls(tls(RedisTls.Verify.FULL)),
          Reason.TIMEOUT,
          "TLS port");
    }
  }

  @Test
  void fileThatCannotBeUsedIsNamed() throws IOException {
    Path empty = Files.writeString(temp.resolve("empty.pem"), "");
    Path missing = temp.resolve("missing.pem");
    assertUnusable("ca-file is " + missing, "can be read", missing, "client.pem", "client.key");
    assertUnusable("ca-file is " + empty, "holds none", empty, "client.pem", "client.key");
    Path ca = certificates.file("ca.pem");
    assertUnusable("certificate-file is", "certificates", ca, "client.key", "client.key");
    assertUnusable("key-file is", "PKCS #8", ca, "client.pem", "client.pem");
    assertUnusable("key-file is", "can be read", ca, "client.pem", "missing.key");
  }

  private static void assertUnusable(
      String part, String why, Path ca, String certificate, String key) {
    RedisTls tls =
        new RedisTls(
            Optional.of(ca),
            RedisTls.Verify.FULL,
            Optional.of(certificates.file(certificate)),
            Optional.of(certificates.file(key)));
    assertThatThrownBy(() -> connect("127.0.0.1", tls))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colony.blackboard.redis.tls." + part)
        .hasMessageContaining(why);
  }

  private static RedisTls tls(RedisTls.Verify verify) {
    return new RedisTls(
        Optional.of(certificates.file("ca.pem")),
        verify,
        Optional.of(certificates.file("client.pem")),
        Optional.of(certificates.file("client.key")));
  }

  private static RedisConnections connect(String host, RedisTls tls) {
    return new RedisConnections(url(host), settings(tls));
  }

  private static String url(String host) {
    return "rediss://" + host + ":" + server.port();
  }

  private static RedisSettings settings(RedisTls tls) {
    return RedisSettings.withTimeout(Duration.ofSeconds(5)).withTls(tls);
  }
}
