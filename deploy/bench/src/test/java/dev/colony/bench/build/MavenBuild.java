package dev.colony.bench.build;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What the Maven build says. */
final class MavenBuild {

  private static final String OWN_GROUP = "dev.colony";

  private MavenBuild() {}

  static BuildFacts read(Path root) throws Exception {
    Element parent = parse(root.resolve("pom.xml"));
    List<String> modules =
        children(child(parent, "modules").orElseThrow(), "module")
            .map(Node::getTextContent)
            .toList();
    Map<String, String> versions = new TreeMap<>();
    child(parent, "properties").stream()
        .flatMap(properties -> elements(properties))
        .filter(property -> property.getTagName().endsWith(".version"))
        .forEach(property ->
            versions.put(
                property.getTagName().replaceAll("\\.version$", ""), property.getTextContent()));
    Map<String, String> versionOf = new TreeMap<>();
    child(parent, "dependencyManagement")
        .flatMap(management -> child(management, "dependencies"))
        .stream()
        .flatMap(list -> children(list, "dependency"))
        .filter(dependency -> !text(dependency, "groupId").equals(OWN_GROUP))
        .forEach(dependency ->
            versionOf.put(
                coordinates(dependency),
                text(dependency, "version").replaceAll("^\\$\\{(.*)\\.version}$", "$1")));
    TreeSet<BuildFacts.Dependency> common = dependencies(parent);
    Map<String, TreeSet<BuildFacts.Dependency>> dependencies = new TreeMap<>();
    for (String module : modules) {
      Element project = parse(root.resolve(module).resolve("pom.xml"));
      if (text(project, "packaging").equals("pom")) {
        dependencies.put(module, managed(project));
      } else {
        TreeSet<BuildFacts.Dependency> own = dependencies(project);
        own.addAll(common);
        dependencies.put(module, own);
      }
    }
    TreeSet<String> excluded = new TreeSet<>();
    NodeList exclusions = parent.getElementsByTagName("exclusion");
    IntStream.range(0, exclusions.getLength())
        .mapToObj(n -> coordinates((Element) exclusions.item(n)))
        .forEach(excluded::add);
    return new BuildFacts(modules, versions, versionOf, dependencies, excluded, tags(parent));
  }

  /**
   * @throws IllegalStateException if a tag is left out and has no profile, or the other way round
   */
  private static TreeSet<String> tags(Element parent) {
    TreeSet<String> tags =
        new TreeSet<>(
            List.of(text(child(parent, "properties").orElseThrow(), "excluded.tests").split(",")));
    TreeSet<String> profiles = new TreeSet<>();
    children(child(parent, "profiles").orElseThrow(), "profile")
        .filter(profile ->
            child(profile, "properties")
                .filter(own -> text(own, "included.tests").equals(text(profile, "id")))
                .isPresent())
        .forEach(profile -> profiles.add(text(profile, "id")));
    if (!profiles.equals(tags)) {
      throw new IllegalStateException(
          "tests of %s are left out, and profiles run those of %s".formatted(tags, profiles));
    }
    return tags;
  }

  private static TreeSet<BuildFacts.Dependency> dependencies(Element project) {
    TreeSet<BuildFacts.Dependency> found = new TreeSet<>();
    child(project, "dependencies").stream()
        .flatMap(list -> children(list, "dependency"))
        // that one has no code to compile against
        .filter(dependency -> !text(dependency, "type").equals("pom"))
        .forEach(dependency -> {
          boolean own = text(dependency, "groupId").equals(OWN_GROUP);
          boolean fixtures = text(dependency, "type").equals("test-jar");
          String name =
              own
                  ? ":" + text(dependency, "artifactId") + (fixtures ? "#tests" : "")
                  : coordinates(dependency);
          found.add(new BuildFacts.Dependency(name, text(dependency, "scope").equals("test")));
        });
    return found;
  }

  /** Of a module that is a list of versions: what stands in it, but for other such lists. */
  private static TreeSet<BuildFacts.Dependency> managed(Element project) {
    return dependencies(child(project, "dependencyManagement").orElseThrow());
  }

  private static String coordinates(Element dependency) {
    String classifier = text(dependency, "classifier");
    return text(dependency, "groupId")
        + ":"
        + text(dependency, "artifactId")
        + (classifier.isEmpty() ? "" : ":" + classifier);
  }

  private static Element parse(Path pom)
      throws ParserConfigurationException, IOException, SAXException {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(pom.toFile())
        .getDocumentElement();
  }

  private static String text(Element parent, String name) {
    return child(parent, name).map(Node::getTextContent).orElse("");
  }

  private static Optional<Element> child(Element parent, String name) {
    return children(parent, name).findFirst();
  }

  private static Stream<Element> children(Element parent, String name) {
    return elements(parent).filter(element -> element.getTagName().equals(name));
  }

  private static Stream<Element> elements(Element parent) {
    return IntStream.range(0, parent.getChildNodes().getLength())
        .mapToObj(parent.getChildNodes()::item)
        .filter(Element.class::isInstance)
        .map(Element.class::cast);
  }
}
