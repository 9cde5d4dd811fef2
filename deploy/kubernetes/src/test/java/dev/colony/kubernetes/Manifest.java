package dev.colony.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The objects of one rendering. */
record Manifest(List<HasMetadata> objects) {

  <T extends HasMetadata> List<T> all(Class<T> kind) {
    return objects.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Names of that kind. */
  <T extends HasMetadata> Set<String> names(Class<T> kind) {
    return all(kind).stream().map(one -> one.getMetadata().getName()).collect(Collectors.toSet());
  }

  <T extends HasMetadata> T one(Class<T> kind, String name) {
    return all(kind).stream()
        .filter(each -> each.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind.getSimpleName() + " " + name));
  }

  /** The stateful set of the nodes. */
  StatefulSet nodes() {
    return one(StatefulSet.class, ChartFolder.RELEASE);
  }

  /** The container that the node runs in. */
  Container node() {
    return nodes().getSpec().getTemplate().getSpec().getContainers().getFirst();
  }

  List<StatefulSet> workloads() {
    return all(StatefulSet.class);
  }

  /** Those whose pods a selector means. */
  List<StatefulSet> selected(Map<String, String> labels) {
    return workloads().stream()
        .filter(set -> labels(set).entrySet().containsAll(labels.entrySet()))
        .toList();
  }

  List<StatefulSet> selected(LabelSelector selector) {
    return selected(selector.getMatchLabels());
  }

  static PodSpec pod(StatefulSet set) {
    return set.getSpec().getTemplate().getSpec();
  }

  static Map<String, String> labels(StatefulSet set) {
    return set.getSpec().getTemplate().getMetadata().getLabels();
  }

  /** Those that start before the pod's own stand first. */
  static List<Container> containers(StatefulSet set) {
    return Stream.concat(pod(set).getInitContainers().stream(), pod(set).getContainers().stream())
        .toList();
  }

  /** The names of all ports of a pod. */
  static Set<String> ports(StatefulSet set) {
    return containers(set).stream()
        .flatMap(container -> container.getPorts().stream())
        .map(ContainerPort::getName)
        .collect(Collectors.toSet());
  }

  /** How a container is called in what a rule says. */
  static String title(StatefulSet set, Container container) {
    return set.getMetadata().getName() + "/" + container.getName();
  }
}
