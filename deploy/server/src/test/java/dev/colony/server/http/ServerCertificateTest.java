package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.client.http.Authorities;
import dev.colony.client.http.HttpColony;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.node.Authority;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API by HTTPS, with the files of an authority that the test makes. */
class ServerCertificateTest {

  @TempDir private static Path folder;

  private static ApiRig rig;
  private static Path ours;
  private static Path others;

  @BeforeAll
  static void start() throws IOException {
    rig = new ApiRig();
    ours = certified("ours", null);
    others = certified("others", Authority.EC);
  }

  @AfterAll
  static void end() {
    rig.close();
  }

  /** A directory with the certificate of localhost, of an authority of its own. */
  private static Path certified(String name, List<String> kind) throws IOException {
    Authority authority = Authority.in(Files.createDirectory(folder.resolve(name + "-authority")));
    Path files = Files.createDirectory(folder.resolve(name));
    if (kind == null) {
      authority.certify("localhost", files);
    } else {
      authority.certify("localhost", kind, files);
    }
    return files;
  }

  private static HttpApi serve(Path directory) {
    return rig.start(AccessSettings.OPEN, Map.of("tls", directory.toString(), "reload", "50ms"));
  }

  private static Config trusting(Path directory) {
    return ConfigFactory.parseMap(
            Map.of(
                "colony.agent.http.ca-file",
                directory.resolve("ca.crt").toString(),
                "colony.agent.http.give-up",
                "0s"))
        .withFallback(ConfigFactory.load());
  }

  private static URI named(HttpApi api) {
    return URI.create("https://localhost:" + api.uri().getPort());
  }

  private static Optional<AgentStatus> asked(HttpApi api, Path trusted) {
    AgentId id = rig.agent();
    return HttpColony.at(named(api), "", trusting(trusted)).agent(id).state().join();
  }

  @Test
  void whoTrustsTheAuthorityIsServedAndOthersRefuseTheServer() {
    for (Path files : List.of(ours, others)) {
      try (HttpApi api = serve(files)) {
        assertThat(api.uri().getScheme()).isEqualTo("https");
        assertThat(asked(api, files)).isPresent();
        assertThatThrownBy(() -> asked(api, files == ours ? others : ours))
            .isInstanceOf(CompletionException.class)
            .cause()
            .isInstanceOfSatisfying(
                BlackboardException.class,
                failure -> assertThat(failure.reason()).isEqualTo(Reason.TLS));
      }
    }
  }

  @Test
  void plainHttpIsNoneOfIts() throws IOException {
    try (HttpApi api = serve(ours);
        Socket plain = new Socket("localhost", api.uri().getPort())) {
      plain.setSoTimeout((int) ApiClient.LONGEST.toMillis());
      plain
          .getOutputStream()
          .write(
              "GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
          .doesNotContain("HTTP/1.1");
    }
  }

  @Test
  void streamsComeOverItToo() throws Exception {
    try (HttpApi api = serve(ours)) {
      HttpClient client = Authorities.into(HttpClient.newBuilder(), trusting(ours)).build();
      HttpResponse<Stream<String>> answer =
          client.send(
              HttpRequest.newBuilder(
                      named(api).resolve("/v1/tenants/acme/board/events?scope=tenant:acme"))
                  .build(),
              HttpResponse.BodyHandlers.ofLines());
      assertThat(answer.statusCode()).isEqualTo(200);
      try (Stream<String> lines = answer.body()) {
        assertThat(lines.findFirst()).isPresent();
      }
    }
  }

  @Test
  void replacedFilesCountForNewConnectionsAndWrongOnesDoNot() throws IOException {
    Path mounted = Files.createDirectory(folder.resolve("mounted"));
    put(ours, mounted, "tls.crt");
    put(ours, mounted, "tls.key");
    try (HttpApi api = serve(mounted)) {
      assertThat(asked(api, ours)).isPresent();
      put(others, mounted, "tls.crt");
      assertThat(asked(api, ours)).as("a key that is not that of the certificate").isPresent();
      put(others, mounted, "tls.key");
      await().ignoreExceptions().until(() -> asked(api, others).isPresent());
      assertThatThrownBy(() -> asked(api, ours)).isInstanceOf(CompletionException.class);
      Files.delete(mounted.resolve("tls.key"));
      assertThat(asked(api, others)).isPresent();
    }
  }

  @Test
  void filesThatCannotBeUsedStopTheStartInOneLine() throws IOException {
    Path bad = Files.createDirectory(folder.resolve("bad"));
    refused(bad, bad.resolve("tls.crt") + ": cannot be read: there is no such file");
    put(ours, bad, "tls.crt");
    refused(bad, bad.resolve("tls.key") + ": cannot be read: there is no such file");
    put(others, bad, "tls.key");
    refused(bad, "tls.key holds no RSA key as PKCS #8");
    Authority.in(Files.createDirectory(folder.resolve("third")));
    put(folder.resolve("third"), bad, "tls.key");
    refused(bad, "tls.key is not the key of the first certificate in tls.crt");
    Files.writeString(bad.resolve("tls.key"), "no key");
    refused(bad, "tls.key holds no RSA key as PKCS #8");
    Files.writeString(bad.resolve("tls.crt"), "");
    refused(bad, "tls.crt holds no certificate");
    Files.writeString(bad.resolve("tls.crt"), "no certificate");
    refused(bad, "tls.crt");
  }

  private static void refused(Path directory, String why) {
    assertThatThrownBy(() -> serve(directory))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("colony.http.tls")
        .hasMessageContaining(why)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void authoritiesThatCannotBeReadAreRefusedInOneLine() throws IOException {
    Path none = Files.createDirectory(folder.resolve("none"));
    assertThatThrownBy(() -> HttpColony.at(URI.create("https://x"), "", trusting(none)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colony.agent.http.ca-file")
        .hasMessageContaining("ca.crt");
    Files.writeString(none.resolve("ca.crt"), "");
    assertThatThrownBy(() -> HttpColony.at(URI.create("https://x"), "", trusting(none)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("holds no certificate");
  }

  private static void put(Path from, Path to, String file) throws IOException {
    Files.copy(from.resolve(file), to.resolve(file), StandardCopyOption.REPLACE_EXISTING);
  }
}
