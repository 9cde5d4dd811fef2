package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart with its own values and with each example of values. */
class ChartTest {

  static List<Path> valueFiles() {
    return ChartFolder.valueFiles();
  }

  @Test
  void helmFindsNoFault() {
    LintResult lint = new Helm(ChartFolder.CHART).lint().strict().call();
    assertThat(lint.isFailed()).as(lint.getMessages().toString()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("valueFiles")
  void everyRenderingObeysTheRules(Path values) {
    Manifest manifest = ChartFolder.manifest(values);
    assertThat(manifest.objects()).hasSizeGreaterThan(6);
    assertThat(
            Stream.concat(Policies.ALL.stream(), Wiring.ALL.stream())
                .flatMap(rule ->
                    rule.violations().apply(manifest).map(where -> rule.name() + ": " + where)))
        .isEmpty();
  }

  @Test
  void whatKubernetesDoesNotKnowIsRefused() {
    String rendered = ChartFolder.rendered(ChartFolder.example("minimal"));
    assertThatThrownBy(
            () -> StrictYaml.objects(rendered.replace("serviceAccountName:", "serviceAcountName:")))
        .hasMessageContaining("serviceAcountName");
    assertThatThrownBy(
            () -> StrictYaml.objects(rendered.replace("kind: StatefulSet", "kind: StatefullSet")))
        .hasMessageContaining("StatefullSet");
    assertThatThrownBy(() ->
            StrictYaml.objects(rendered.replace("  replicas: 1", "  replicas: 1\n  replicas: 2")))
        .hasMessageContaining("replicas");
  }

  @Test
  void replicasByUrlAreReachedWithoutASidecar() {
    Manifest manifest = ChartFolder.manifest(ChartFolder.example("external-replicas"));
    assertThat(Manifest.containers(manifest.nodes())).hasSize(1);
    assertThat(Manifest.ports(manifest.nodes())).doesNotContain("model");
    assertThat(variable(manifest, "COLONY_MODEL_URL"))
        .isEqualTo("http://vllm-$(COLONY_NODE_INDEX).vllm.models:8000/v1");
  }

  @Test
  void aSidecarStartsBeforeTheNodeAndIsCalledByTheOtherNodesToo() {
    Manifest manifest = ChartFolder.manifest(ChartFolder.example("vllm"));
    var sidecar = Manifest.pod(manifest.nodes()).getInitContainers().getFirst();
    assertThat(sidecar.getRestartPolicy()).isEqualTo("Always");
    assertThat(sidecar.getResources().getLimits()).containsKey("nvidia.com/gpu");
    assertThat(variable(manifest, "COLONY_MODEL_URL"))
        .isEqualTo("http://$(COLONY_NODE_HOST):8000/v1");
    assertThat(openToNodes(manifest)).contains("model");
  }

  @Test
  void redisIsNamedWithThePasswordOfTheSecret() {
    assertThat(
            variable(ChartFolder.manifest(ChartFolder.example("production")), "COLONY_REDIS_URL"))
        .isEqualTo(
            "rediss-sentinel://colony:$(COLONY_REDIS_PASSWORD)@sentinel-0.redis:26379,"
                + "sentinel-1.redis:26379,sentinel-2.redis:26379#colony");
    assertThat(variable(ChartFolder.manifest(ChartFolder.example("trial")), "COLONY_REDIS_URL"))
        .isEqualTo("redis://:$(COLONY_REDIS_PASSWORD)@colony-redis:6379");
    assertThat(variable(ChartFolder.manifest(ChartFolder.example("minimal")), "COLONY_REDIS_URL"))
        .isEqualTo("redis://redis.databases:6379");
  }

  @Test
  void remotingAndManagementAreForNodesAndMetricsForThoseNamed() {
    Manifest manifest = ChartFolder.manifest(ChartFolder.example("production"));
    NetworkPolicy policy = manifest.one(NetworkPolicy.class, ChartFolder.RELEASE);
    assertThat(openToNodes(manifest)).containsExactly("remoting", "management");
    assertThat(
            policy.getSpec().getIngress().stream()
                .skip(1)
                .map(rule ->
                    rule.getFrom().getFirst().getNamespaceSelector().getMatchLabels().values()
                        + " "
                        + rule.getPorts().stream()
                            .map(port -> port.getPort().getStrVal())
                            .toList()))
        .containsExactly("[monitoring] [management]", "[ingress] [http]");
  }

  /** What the operator names is where nodes may go; what is not named is bounded by its port. */
  @Test
  void egressGoesToThoseNamed(@TempDir Path folder) throws IOException {
    Path values =
        Files.writeString(
            folder.resolve("values.yaml"),
            """
            {redis: {url: "rediss-sentinel://s0.redis:26380,s1.redis:26381#colony", trial: {enabled: false}},
             model: {url: "https://models.example.com/v1"}, tls: {secret: colony-node-tls},
             networkPolicy: {
               dnsTo: [{namespaceSelector: {matchLabels: {name: dns}}}],
               apiServerTo: [{ipBlock: {cidr: 10.0.0.1/32}}], apiServerPorts: [6443],
               redisTo: [{namespaceSelector: {matchLabels: {name: redis}}}], redisPorts: [6390],
               modelTo: [{ipBlock: {cidr: 192.0.2.0/24}}],
               extraEgress: [{ports: [{port: 5432}], to: [{podSelector: {matchLabels: {app: crm}}}]}]}}
            """);
    assertThat(
            ChartFolder.manifest(values)
                .one(NetworkPolicy.class, ChartFolder.RELEASE)
                .getSpec()
                .getEgress()
                .stream()
                .map(
                    rule -> ports(rule) + " " + rule.getTo().stream().map(ChartTest::who).toList()))
        .containsExactly(
            "[53, 53] [{name=dns}]",
            "[25520, 7626] [node]",
            "[6443] [10.0.0.1/32]",
            "[26380, 26381, 26379, 6390] [{name=redis}]",
            "[443] [192.0.2.0/24]",
            "[5432] [null]");
  }

  /** Servers that are listed are reached at their ports and at those of their events. */
  @Test
  void egressGoesToListedReplicas(@TempDir Path folder) throws IOException {
    assertThat(egressOfModels(ChartFolder.example("shared-replicas")))
        .containsExactly("[8000, 5557, 5558]");
    Path values = folder.resolve("values.yaml");
    String model =
        "{tls: {insecure: true}, networkPolicy: {modelTo: [{podSelector: {matchLabels: {app:"
            + " vllm}}}], modelPorts: %s}, model: {replicas: {%s}}}";
    Files.writeString(
        values, model.formatted("[]", "servers: ['http://a:8000/v1', 'https://b/v1', 'http://c']"));
    assertThat(egressOfModels(values)).containsExactly("[8000, 443, 80]");
    Files.writeString(values, model.formatted("[]", "dns: 'http://models:9000/v1'"));
    assertThat(egressOfModels(values)).containsExactly("[9000]");
    Files.writeString(values, model.formatted("[8001]", "dns: 'http://_llm._tcp.models/v1'"));
    assertThat(egressOfModels(values)).containsExactly("[8001]");
  }

  private static List<String> egressOfModels(Path values) {
    return ChartFolder.manifest(values)
        .one(NetworkPolicy.class, ChartFolder.RELEASE)
        .getSpec()
        .getEgress()
        .stream()
        .filter(rule ->
            rule.getTo().stream()
                .anyMatch(peer ->
                    peer.getPodSelector() != null
                        && "vllm".equals(peer.getPodSelector().getMatchLabels().get("app"))))
        .map(rule -> ports(rule).toString())
        .toList();
  }

  /** All nodes follow the events of each sidecar. */
  @Test
  void aSidecarPublishesItsEventsToTheNodes(@TempDir Path folder) throws IOException {
    Path values =
        Files.writeString(
            folder.resolve("values.yaml"),
            """
            {tls: {insecure: true},
             model: {name: m, sidecar: {enabled: true}, kvEvents: {port: 5557, replayPort: 5558}}}
            """);
    Manifest manifest = ChartFolder.manifest(values);
    assertThat(Manifest.pod(manifest.nodes()).getInitContainers().getFirst().getArgs())
        .filteredOn(argument -> argument.startsWith("--kv-events-config="))
        .singleElement()
        .satisfies(argument ->
            assertThat(new ObjectMapper().readTree(argument.split("=", 2)[1]))
                .isEqualTo(
                    new ObjectMapper()
                        .readTree(
                            """
                            {"enable_kv_cache_events": true, "publisher": "zmq",
                             "endpoint": "tcp://*:5557", "replay_endpoint": "tcp://*:5558"}
                            """)));
    assertThat(openToNodes(manifest)).contains("model", "kv-events", "kv-replay");
    assertThat(Wiring.ALL.stream().flatMap(rule -> rule.violations().apply(manifest))).isEmpty();
  }

  /** On a claim that all nodes mount, or in a bucket that the network policy opens. */
  @Test
  void largeDataLieWhereTheValuesSay(@TempDir Path folder) throws IOException {
    Manifest mounted = ChartFolder.manifest(ChartFolder.example("production"));
    assertThat(variable(mounted, "COLONY_PAYLOADS_STORE"))
        .isEqualTo("file:/var/lib/colony/payloads");
    assertThat(mounted.node().getVolumeMounts())
        .anyMatch(mount ->
            mount.getMountPath().equals("/var/lib/colony/payloads")
                && mount.getName().equals("payloads"));
    assertThat(Manifest.pod(mounted.nodes()).getVolumes())
        .anyMatch(volume ->
            volume.getPersistentVolumeClaim() != null
                && volume.getPersistentVolumeClaim().getClaimName().equals("colony-payloads"));

    Manifest bucket = ChartFolder.manifest(ChartFolder.example("shared-replicas"));
    assertThat(variable(bucket, "COLONY_PAYLOADS_STORE"))
        .isEqualTo("s3://colony-payloads/production");
    assertThat(bucket.node().getEnv())
        .anyMatch(variable ->
            variable.getName().equals("AWS_SECRET_ACCESS_KEY")
                && variable.getValueFrom().getSecretKeyRef().getName().equals("payload-access"));
    assertThat(bucket.one(NetworkPolicy.class, ChartFolder.RELEASE).getSpec().getEgress())
        .anyMatch(rule -> ports(rule).equals(List.of(9000)));
  }

  /** The trial's Redis opens no connections, and nodes reach no other server of Redis than it. */
  @Test
  void theTrialsRedisIsReachedByNodesAndReachesNone() {
    Manifest manifest = ChartFolder.manifest(ChartFolder.example("trial"));
    assertThat(manifest.one(NetworkPolicy.class, "colony-redis").getSpec().getEgress()).isEmpty();
    assertThat(
            manifest.one(NetworkPolicy.class, ChartFolder.RELEASE).getSpec().getEgress().stream()
                .filter(rule -> ports(rule).contains(6379))
                .map(rule -> rule.getTo().stream().map(ChartTest::who).toList()))
        .containsExactly(List.of("redis"));
  }

  @Test
  void nodesSpeakByTlsUnlessTheValuesSayOtherwise() {
    assertThat(variables(ChartFolder.manifest(ChartFolder.example("trial"))))
        .doesNotContain("COLONY_NODE_TLS");
    assertThat(variables(ChartFolder.manifest(ChartFolder.example("vllm"))))
        .contains("COLONY_NODE_TLS");
  }

  /**
   * The files of keys and of the certificate are where the nodes look, and nothing is left over.
   */
  @Test
  void theApiTakesTokensAloneAndSpeaksHttps(@TempDir Path folder) throws IOException {
    Path values =
        Files.writeString(
            folder.resolve("values.yaml"),
            """
            {tls: {insecure: true},
             api: {keysSecret: {name: ""}, tls: {secret: api-tls},
                   oidc: {issuer: "https://i", jwksUrl: "https://i:8443/keys", audience: colony}}}
            """);
    Manifest manifest = ChartFolder.manifest(values);
    assertThat(variables(manifest)).doesNotContain("COLONY_ACCESS_KEYS_FILE");
    assertThat(variable(manifest, "COLONY_ACCESS_OIDC_ISSUER")).isEqualTo("https://i");
    assertThat(variable(manifest, "COLONY_ACCESS_OIDC_JWKS_URL")).isEqualTo("https://i:8443/keys");
    assertThat(variable(manifest, "COLONY_ACCESS_OIDC_AUDIENCE")).isEqualTo("colony");
    assertThat(Manifest.pod(manifest.nodes()).getVolumes())
        .anySatisfy(volume ->
            assertThat(volume.getSecret())
                .isNotNull()
                .extracting(secret -> secret.getSecretName())
                .isEqualTo("api-tls"))
        .noneMatch(volume -> volume.getName().equals("keys"));
    assertThat(manifest.node().getVolumeMounts())
        .anyMatch(mount -> mount.getMountPath().equals(variable(manifest, "COLONY_HTTP_TLS")));
    assertThat(manifest.one(Service.class, ChartFolder.RELEASE).getSpec().getPorts().getFirst())
        .extracting(port -> port.getAppProtocol())
        .isEqualTo("https");
    assertThat(manifest.one(NetworkPolicy.class, ChartFolder.RELEASE).getSpec().getEgress())
        .anyMatch(rule -> ports(rule).contains(8443));
    assertThat(Wiring.ALL.stream().flatMap(rule -> rule.violations().apply(manifest))).isEmpty();
  }

  @Test
  void withoutTheApiNothingOfItIsLeft() {
    Manifest manifest = ChartFolder.manifest(ChartFolder.example("minimal"));
    assertThat(manifest.names(Service.class)).containsExactly("colony-nodes");
    assertThat(Manifest.ports(manifest.nodes())).doesNotContain("http");
    assertThat(variable(manifest, "COLONY_HTTP_ENABLED")).isEqualTo("false");
  }

  private static List<String> openToNodes(Manifest manifest) {
    return manifest
        .one(NetworkPolicy.class, ChartFolder.RELEASE)
        .getSpec()
        .getIngress()
        .getFirst()
        .getPorts()
        .stream()
        .map(port -> port.getPort().getStrVal())
        .toList();
  }

  private static List<Integer> ports(NetworkPolicyEgressRule rule) {
    return rule.getPorts().stream().map(port -> port.getPort().getIntVal()).toList();
  }

  private static String who(NetworkPolicyPeer peer) {
    if (peer.getIpBlock() != null) {
      return peer.getIpBlock().getCidr();
    }
    return peer.getNamespaceSelector() != null
        ? peer.getNamespaceSelector().getMatchLabels().toString()
        : peer.getPodSelector().getMatchLabels().get("app.kubernetes.io/component");
  }

  private static List<String> variables(Manifest manifest) {
    return manifest.node().getEnv().stream().map(EnvVar::getName).toList();
  }

  private static String variable(Manifest manifest, String name) {
    return manifest.node().getEnv().stream()
        .filter(variable -> variable.getName().equals(name))
        .map(EnvVar::getValue)
        .findFirst()
        .orElseThrow();
  }
}
