package dev.colony.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a careful operator asks of pods: the "restricted" level of the Pod Security Standards of
 * Kubernetes, and beyond it bounds, probes, pinned images and no secret where it can be read.
 */
final class Policies {

  private static final String TOKEN_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

  /** What a clean stop of a node may take: leaving, handing over, closing. In seconds. */
  private static final int CLEAN_STOP = 30;

  private static final Pattern SECRET_NAME =
      Pattern.compile("(?i)password|passwd|token|secret|api[-_]?key|requirepass|auth");

  /** In settings: such a name with a value that is no reference to the environment. */
  private static final Pattern SECRET_LINE =
      Pattern.compile(
          "(?im)^[^#\\n]*(password|token|secret|api-key|requirepass)[\"\\s]*[=: ]+[^$\\s]");

  private static final Pattern LOGIN = Pattern.compile("://[^/@]*:(?!\\$\\()[^/@]+@");
  private static final Pattern PINNED =
      Pattern.compile("[^@:]+(:[0-9]+/[^@:]+)?:(?!latest(@|$))[\\w.-]+(@sha256:[0-9a-f]{64})?");

  static final List<Rule> ALL =
      List.of(
          Rule.ofContainers("requests and limits", Policies::bounded),
          Rule.ofContainers(
              "probes",
              container ->
                  container.getStartupProbe() != null
                      && container.getReadinessProbe() != null
                      && container.getLivenessProbe() != null),
          Rule.ofContainers(
              "a root file system that cannot be written to",
              container -> security(container).getReadOnlyRootFilesystem() == Boolean.TRUE),
          Rule.ofContainers("no privileges", Policies::unprivileged),
          Rule.ofContainers(
              "pinned images", container -> PINNED.matcher(container.getImage()).matches()),
          Rule.ofContainers(
              "no secret in the environment",
              container -> container.getEnv().stream().noneMatch(Policies::secret)),
          Rule.ofContainers(
              "no secret in the arguments",
              container ->
                  Stream.concat(container.getCommand().stream(), container.getArgs().stream())
                      .noneMatch(word -> LOGIN.matcher(word).find())),
          Rule.ofContainers(
              "the API server's token is for the node alone",
              container ->
                  container.getName().equals("node")
                      || container.getVolumeMounts().stream()
                          .noneMatch(mount -> mount.getMountPath().equals(TOKEN_FOLDER))),
          Rule.ofPods("not as root", Policies::notAsRoot),
          Rule.ofPods("nothing of the machine", Policies::apartFromTheMachine),
          Rule.ofPods(
              "the API server's token is mounted where it is asked for only",
              pod -> pod.getAutomountServiceAccountToken() == Boolean.FALSE),
          Rule.ofPods("bounded folders", Policies::boundedFolders),
          Rule.ofPods("the grace covers drain and stop", Policies::grace),
          new Rule("no secret in a ConfigMap", Policies::secretsInConfigMaps),
          new Rule("no Secret but the one that is made", Policies::secrets),
          new Rule("several pods are spread, and drained one by one", Policies::available),
          new Rule("a network policy bounds both ways of every pod", Policies::openPods));

  private Policies() {}

  private static boolean bounded(Container container) {
    return container.getResources() != null
        && Stream.of(container.getResources().getRequests(), container.getResources().getLimits())
            .allMatch(amounts ->
                amounts != null && amounts.keySet().containsAll(Set.of("cpu", "memory")));
  }

  private static SecurityContext security(Container container) {
    return Objects.requireNonNullElseGet(container.getSecurityContext(), SecurityContext::new);
  }

  private static boolean unprivileged(Container container) {
    SecurityContext security = security(container);
    return security.getAllowPrivilegeEscalation() == Boolean.FALSE
        && security.getPrivileged() != Boolean.TRUE
        && security.getCapabilities() != null
        && security.getCapabilities().getDrop().equals(List.of("ALL"))
        && security.getCapabilities().getAdd().isEmpty();
  }

  private static boolean secret(EnvVar variable) {
    String value = variable.getValue();
    return value != null
        && (LOGIN.matcher(value).find()
            || SECRET_NAME.matcher(variable.getName()).find() && !value.startsWith("/"));
  }

  private static boolean notAsRoot(PodSpec pod) {
    PodSecurityContext security = pod.getSecurityContext();
    return security != null
        && security.getRunAsNonRoot() == Boolean.TRUE
        && security.getRunAsUser() != null
        && security.getRunAsUser() > 0
        && security.getSeccompProfile() != null
        && security.getSeccompProfile().getType().equals("RuntimeDefault")
        && Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
            .map(Policies::security)
            .allMatch(own -> own.getRunAsUser() == null && own.getRunAsNonRoot() == null);
  }

  private static boolean apartFromTheMachine(PodSpec pod) {
    return pod.getHostNetwork() != Boolean.TRUE
        && pod.getHostPID() != Boolean.TRUE
        && pod.getHostIPC() != Boolean.TRUE
        && pod.getVolumes().stream().allMatch(volume -> volume.getHostPath() == null)
        && Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
            .flatMap(container -> container.getPorts().stream())
            .allMatch(port -> port.getHostPort() == null);
  }

  private static boolean boundedFolders(PodSpec pod) {
    return pod.getVolumes().stream()
        .map(Volume::getEmptyDir)
        .filter(Objects::nonNull)
        .allMatch(folder -> folder.getSizeLimit() != null);
  }

  private static boolean grace(PodSpec pod) {
    long drain =
        pod.getContainers().stream()
            .map(Container::getLifecycle)
            .filter(Objects::nonNull)
            .mapToLong(lifecycle -> lifecycle.getPreStop().getSleep().getSeconds())
            .max()
            .orElse(0);
    return pod.getTerminationGracePeriodSeconds() != null
        && pod.getTerminationGracePeriodSeconds() >= drain + CLEAN_STOP;
  }

  private static Stream<String> secretsInConfigMaps(Manifest manifest) {
    return manifest.all(ConfigMap.class).stream()
        .flatMap(map ->
            map.getData().entrySet().stream()
                .filter(entry ->
                    SECRET_LINE.matcher(entry.getValue()).find()
                        || LOGIN.matcher(entry.getValue()).find())
                .map(entry -> map.getMetadata().getName() + "/" + entry.getKey()));
  }

  private static Stream<String> secrets(Manifest manifest) {
    return manifest.all(Secret.class).stream()
        .filter(secret ->
            !Map.of("helm.sh/resource-policy", "keep").equals(secret.getMetadata().getAnnotations())
                || secret.getData() != null && !secret.getData().isEmpty()
                || !secret.getStringData().values().stream()
                    .allMatch(value -> value.matches("[A-Za-z0-9]{32}")))
        .map(secret -> secret.getMetadata().getName());
  }

  /** Where there are policies, no pod is without one, and none lets all through on all ports. */
  private static Stream<String> openPods(Manifest manifest) {
    List<NetworkPolicy> policies = manifest.all(NetworkPolicy.class);
    Set<StatefulSet> bounded =
        policies.stream()
            .filter(policy ->
                Set.copyOf(policy.getSpec().getPolicyTypes()).equals(Set.of("Ingress", "Egress"))
                    && policy.getSpec().getIngress().stream()
                        .allMatch(rule -> !rule.getPorts().isEmpty() && !rule.getFrom().isEmpty())
                    && policy.getSpec().getEgress().stream()
                        .allMatch(rule -> !rule.getPorts().isEmpty()))
            .flatMap(policy -> manifest.selected(policy.getSpec().getPodSelector()).stream())
            .collect(Collectors.toSet());
    return manifest.workloads().stream()
        .filter(set -> !policies.isEmpty() && !bounded.contains(set))
        .map(set -> set.getMetadata().getName());
  }

  private static Stream<String> available(Manifest manifest) {
    Set<String> drainedOneByOne =
        manifest.all(PodDisruptionBudget.class).stream()
            .filter(budget -> budget.getSpec().getMaxUnavailable() != null)
            .flatMap(budget -> manifest.selected(budget.getSpec().getSelector()).stream())
            .map(set -> set.getMetadata().getName())
            .collect(Collectors.toSet());
    return manifest.workloads().stream()
        .filter(set -> !Integer.valueOf(1).equals(set.getSpec().getReplicas()))
        .filter(set -> !drainedOneByOne.contains(set.getMetadata().getName()) || !spread(set))
        .map(set -> set.getMetadata().getName());
  }

  private static boolean spread(StatefulSet set) {
    return Manifest.pod(set).getTopologySpreadConstraints().stream()
        .filter(spread ->
            Manifest.labels(set)
                .entrySet()
                .containsAll(spread.getLabelSelector().getMatchLabels().entrySet()))
        .map(spread -> spread.getTopologyKey())
        .collect(Collectors.toSet())
        .equals(Set.of("topology.kubernetes.io/zone", "kubernetes.io/hostname"));
  }
}
