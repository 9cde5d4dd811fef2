package dev.colony.deploy.build;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/** The arrows of docs/architecture.md. */
@AnalyzeClasses(packages = "dev.colony", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule modulesPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("deploy")
          .definedBy("dev.colony.deploy..")
          .layer("agent-runtime")
          .definedBy("dev.colony.agent..")
          .layer("vcm-cache")
          .definedBy("dev.colony.vcm..")
          .layer("inference-gateway")
          .definedBy("dev.colony.inference..")
          .layer("blackboard")
          .definedBy("dev.colony.blackboard..")
          .whereLayer("deploy")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("agent-runtime")
          .mayOnlyBeAccessedByLayers("deploy")
          .whereLayer("vcm-cache")
          .mayOnlyBeAccessedByLayers("agent-runtime", "deploy")
          .whereLayer("inference-gateway")
          .mayOnlyBeAccessedByLayers("agent-runtime", "deploy")
          .whereLayer("blackboard")
          .mayOnlyBeAccessedByLayers("vcm-cache", "agent-runtime", "deploy");

  @ArchTest
  static final ArchRule modulesHaveNoCycles =
      SlicesRuleDefinition.slices().matching("dev.colony.(*)..").should().beFreeOfCycles();

  private static final String[] SHELL = {
    "dev.colony.agent.runtime",
    "dev.colony.agent.inbox",
    "dev.colony.agent.entity",
    "dev.colony.agent.room",
    "dev.colony.agent.resident"
  };

  @ArchTest
  static final ArchRule theShellOfAgentsStandsOnTheirCore =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("runtime")
          .definedBy("dev.colony.agent.runtime")
          .layer("inbox")
          .definedBy("dev.colony.agent.inbox")
          .layer("entity")
          .definedBy("dev.colony.agent.entity")
          .layer("room")
          .definedBy("dev.colony.agent.room")
          .layer("resident")
          .definedBy("dev.colony.agent.resident")
          .layer("core")
          .definedBy(resideInAPackage("dev.colony.agent..").and(not(resideInAnyPackage(SHELL))))
          .whereLayer("runtime")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("inbox")
          .mayOnlyBeAccessedByLayers("runtime")
          .whereLayer("entity")
          .mayOnlyBeAccessedByLayers("runtime", "inbox")
          .whereLayer("room")
          .mayOnlyBeAccessedByLayers("runtime", "entity")
          .whereLayer("resident")
          .mayOnlyBeAccessedByLayers("entity");

  @ArchTest
  static final ArchRule pureCoresTouchNoTechnology =
      noClasses()
          .that()
          .resideInAnyPackage(PureCores.PACKAGES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.pekko..",
              "scala..",
              "io.lettuce..",
              "java.net.http..",
              "com.sun.net.httpserver..");

  @ArchTest
  static final ArchRule noLayersAsPackages =
      noClasses()
          .should()
          .resideInAnyPackage(
              "..util..", "..common..", "..helper..", "..manager..", "..impl..", "..model..");
}
