rootProject.name = "colony"

dependencyResolutionManagement {
    repositories {
        mavenCentral()
    }
}

include("blackboard", "vcm-cache", "inference-gateway", "agent-runtime", "deploy:server", "deploy:cli",
    "deploy:kubernetes", "deploy:image", "deploy:bench", "examples")
