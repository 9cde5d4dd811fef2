rootProject.name = "colony"

dependencyResolutionManagement {
    repositories {
        mavenCentral()
    }
}

include("blackboard", "vcm-cache", "inference-gateway", "agent-runtime", "deploy", "examples", "image")
