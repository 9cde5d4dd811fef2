package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicySpec;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule finds what breaks it: a rule that nothing breaks would hold nothing. */
class RulesTest {

  private static final List<Rule> RULES =
      Stream.concat(Policies.ALL.stream(), Wiring.ALL.stream()).toList();

  /** A way to break one rule. */
  record Breach(String rule, String how, Consumer<Manifest> done) {

    @Override
    public String toString() {
      return rule + ": " + how;
    }
  }

  static final List<Breach> BREACHES =
      List.of(
          ofNode(
              "requests and limits",
              "no limit of memory",
              node -> node.getResources().getLimits().remove("memory")),
          ofNode("requests and limits", "no resources", node -> node.setResources(null)),
          ofNode("probes", "no liveness", node -> node.setLivenessProbe(null)),
          ofNode(
              "a root file system that cannot be written to",
              "it can",
              node -> node.getSecurityContext().setReadOnlyRootFilesystem(false)),
          ofNode(
              "a root file system that cannot be written to",
              "nothing said",
              node -> node.setSecurityContext(null)),
          ofNode(
              "no privileges",
              "escalation",
              node -> node.getSecurityContext().setAllowPrivilegeEscalation(true)),
          ofNode(
              "no privileges",
              "a capability",
              node -> node.getSecurityContext().getCapabilities().setAdd(List.of("NET_ADMIN"))),
          ofNode(
              "no privileges", "privileged", node -> node.getSecurityContext().setPrivileged(true)),
          ofNode("pinned images", "no tag", node -> node.setImage("colony")),
          ofNode(
              "pinned images",
              "a registry's port is no tag",
              node -> node.setImage("registry:5000/colony")),
          ofNode("pinned images", "latest", node -> node.setImage("colony:latest")),
          ofNode(
              "no secret in the environment",
              "a password",
              node -> node.getEnv().add(new EnvVar("REDIS_PASSWORD", "hunter2", null))),
          ofNode(
              "no secret in the environment",
              "a URL with one",
              node -> node.getEnv().add(new EnvVar("REDIS", "redis://u:hunter2@redis:6379", null))),
          ofNode(
              "no secret in the arguments",
              "a URL with one",
              node -> node.setArgs(List.of("--redis=redis://u:hunter2@redis:6379"))),
          ofPod(
              "the API server's token is for the node alone",
              "another mounts it",
              pod ->
                  pod.getInitContainers()
                      .getFirst()
                      .getVolumeMounts()
                      .add(
                          new VolumeMountBuilder()
                              .withName("api-access")
                              .withMountPath("/var/run/secrets/kubernetes.io/serviceaccount")
                              .build())),
          ofPod("not as root", "user 0", pod -> pod.getSecurityContext().setRunAsUser(0L)),
          ofPod("not as root", "nothing said", pod -> pod.setSecurityContext(null)),
          ofPod(
              "not as root",
              "one container does",
              pod -> pod.getContainers().getFirst().getSecurityContext().setRunAsUser(0L)),
          ofPod(
              "not as root", "no seccomp", pod -> pod.getSecurityContext().setSeccompProfile(null)),
          ofPod("nothing of the machine", "its network", pod -> pod.setHostNetwork(true)),
          ofPod(
              "nothing of the machine",
              "its files",
              pod -> pod.getVolumes().getFirst().setHostPath(new HostPathVolumeSource("/", null))),
          ofPod(
              "the API server's token is mounted where it is asked for only",
              "everywhere",
              pod -> pod.setAutomountServiceAccountToken(null)),
          ofPod(
              "bounded folders",
              "no limit",
              pod -> pod.getVolumes().getFirst().setEmptyDir(new EmptyDirVolumeSource())),
          ofPod(
              "the grace covers drain and stop",
              "30 s",
              pod -> pod.setTerminationGracePeriodSeconds(30L)),
          new Breach(
              "no secret in a ConfigMap",
              "a key",
              manifest ->
                  settings(manifest).put("colony.conf", "colony.inference.client.api-key = abc")),
          new Breach(
              "no secret in a ConfigMap",
              "a URL with a password",
              manifest ->
                  settings(manifest).put("colony.conf", "url = \"redis://u:hunter2@redis\"")),
          new Breach(
              "no Secret but the one that is made",
              "one with data",
              manifest ->
                  manifest.one(Secret.class, "colony-redis").setData(Map.of("password", "YWJj"))),
          new Breach(
              "no Secret but the one that is made",
              "a password of ours",
              manifest ->
                  manifest
                      .one(Secret.class, "colony-redis")
                      .getStringData()
                      .put("password", "abc")),
          new Breach(
              "several pods are spread, and drained one by one",
              "no budget",
              manifest ->
                  manifest
                      .all(PodDisruptionBudget.class)
                      .getFirst()
                      .getSpec()
                      .setMaxUnavailable(null)),
          ofPod(
              "several pods are spread, and drained one by one",
              "not over zones",
              pod -> pod.getTopologySpreadConstraints().removeFirst()),
          new Breach(
              "names are told apart",
              "two services of one",
              manifest ->
                  manifest.one(Service.class, "colony-nodes").getMetadata().setName("colony")),
          new Breach(
              "stateful sets select their own pods and no others",
              "any",
              manifest ->
                  manifest
                      .nodes()
                      .getSpec()
                      .getSelector()
                      .setMatchLabels(Map.of("app.kubernetes.io/name", "colony"))),
          new Breach(
              "selectors select a pod",
              "a misspelled service",
              manifest ->
                  manifest.one(Service.class, "colony").getSpec().setSelector(Map.of("app", "x"))),
          new Breach(
              "selectors select a pod",
              "a policy for all",
              manifest ->
                  manifest
                      .one(NetworkPolicy.class, "colony")
                      .getSpec()
                      .getPodSelector()
                      .setMatchLabels(Map.of())),
          ofPolicy(
              "a network policy bounds both ways of every pod",
              "egress is not bounded",
              spec -> spec.setPolicyTypes(List.of("Ingress"))),
          ofPolicy(
              "a network policy bounds both ways of every pod",
              "all ports",
              spec -> spec.getEgress().getFirst().setPorts(List.of())),
          ofPolicy(
              "a network policy bounds both ways of every pod",
              "from everywhere",
              spec -> spec.getIngress().getFirst().setFrom(List.of())),
          new Breach(
              "a network policy bounds both ways of every pod",
              "a pod without one",
              manifest ->
                  manifest
                      .one(NetworkPolicy.class, "colony-redis")
                      .getSpec()
                      .getPodSelector()
                      .setMatchLabels(Map.of("app", "other"))),
          ofPolicy(
              "nodes may reach all that they call",
              "no name servers",
              spec -> spec.getEgress().removeFirst()),
          ofPolicy(
              "nodes may reach all that they call",
              "no DNS by TCP",
              spec -> spec.getEgress().getFirst().getPorts().removeLast()),
          ofPolicy(
              "nodes may reach all that they call",
              "not each other",
              spec -> spec.getEgress().remove(1)),
          ofPolicy(
              "nodes may reach all that they call",
              "pods that are not there",
              spec ->
                  spec.getEgress()
                      .get(1)
                      .getTo()
                      .getFirst()
                      .getPodSelector()
                      .setMatchLabels(Map.of("app", "other"))),
          ofPolicy(
              "nodes may reach all that they call",
              "no API server",
              spec -> spec.getEgress().get(2).getPorts().removeLast()),
          ofPolicy(
              "nodes may reach all that they call", "no Redis", spec -> spec.getEgress().remove(3)),
          new Breach(
              "ports have a name that pods know",
              "a service's",
              manifest ->
                  manifest
                      .one(Service.class, "colony")
                      .getSpec()
                      .getPorts()
                      .getFirst()
                      .setTargetPort(new IntOrString("web"))),
          new Breach(
              "ports have a name that pods know",
              "a policy's",
              manifest ->
                  manifest
                      .one(NetworkPolicy.class, "colony")
                      .getSpec()
                      .getIngress()
                      .getFirst()
                      .getPorts()
                      .getFirst()
                      .setPort(new IntOrString("akka"))),
          ofNode(
              "probes go to ports of their container",
              "a number's name",
              node -> node.getReadinessProbe().getHttpGet().setPort(new IntOrString("8558"))),
          ofPod(
              "each mount has its volume and each volume its mount",
              "no volume",
              pod -> pod.getVolumes().removeFirst()),
          ofNode(
              "each mount has its volume and each volume its mount",
              "no mount",
              node -> node.getVolumeMounts().removeFirst()),
          new Breach(
              "what is named is there",
              "no headless service",
              manifest -> manifest.nodes().getSpec().setServiceName("nodes")),
          ofPod("what is named is there", "no account", pod -> pod.setServiceAccountName("other")),
          new Breach(
              "what is named is there",
              "another namespace's account",
              manifest ->
                  manifest
                      .all(RoleBinding.class)
                      .getFirst()
                      .getSubjects()
                      .getFirst()
                      .setNamespace("default")),
          ofNode(
              "variables stand before those that hold them",
              "after",
              node -> node.getEnv().addFirst(new EnvVar("FIRST", "$(COLONY_NODE_HOST)", null))),
          ofNode(
              "variables stand before those that hold them",
              "twice",
              node -> node.getEnv().add(new EnvVar("COLONY_NODE_HOST", "x", null))));

  static List<Breach> breaches() {
    return BREACHES;
  }

  @ParameterizedTest
  @MethodSource("breaches")
  void aBreachIsFound(Breach breach) {
    Manifest manifest = whole();
    Rule rule =
        RULES.stream().filter(each -> each.name().equals(breach.rule())).findFirst().orElseThrow();
    assertThat(rule.violations().apply(manifest)).isEmpty();
    breach.done().accept(manifest);
    assertThat(rule.violations().apply(manifest)).isNotEmpty();
  }

  @Test
  void everyRuleIsBroken() {
    assertThat(BREACHES.stream().map(Breach::rule))
        .containsAll(RULES.stream().map(Rule::name).toList());
  }

  /** With a sidecar and a generated password, so that every rule has something to look at. */
  private static Manifest whole() {
    return new Manifest(
        Stream.concat(
                ChartFolder.manifest(ChartFolder.example("vllm")).objects().stream(),
                ChartFolder.manifest(ChartFolder.DEFAULTS).objects().stream()
                    .filter(object -> object.getMetadata().getName().equals("colony-redis")))
            .toList());
  }

  private static Map<String, String> settings(Manifest manifest) {
    return manifest.one(ConfigMap.class, "colony").getData();
  }

  private static Breach ofNode(String rule, String how, Consumer<Container> done) {
    return new Breach(rule, how, manifest -> done.accept(manifest.node()));
  }

  private static Breach ofPolicy(String rule, String how, Consumer<NetworkPolicySpec> done) {
    return new Breach(
        rule, how, manifest -> done.accept(manifest.one(NetworkPolicy.class, "colony").getSpec()));
  }

  private static Breach ofPod(String rule, String how, Consumer<PodSpec> done) {
    return new Breach(rule, how, manifest -> done.accept(Manifest.pod(manifest.nodes())));
  }
}
