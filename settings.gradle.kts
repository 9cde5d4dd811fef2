rootProject.name = "colony"

dependencyResolutionManagement {
    repositories {
        mavenCentral()
    }
}

include("blackboard", "agent-runtime:testkit-board", "vcm-cache:pages", "vcm-cache:schedule", "vcm-cache:documents", "vcm-cache:meaning", "inference-gateway:gateway", "inference-gateway:embedded-replica", "inference-gateway:langchain4j", "agent-runtime:api", "agent-runtime:core", "agent-runtime:journal", "agent-runtime:client", "agent-runtime:library", "agent-runtime:node", "agent-runtime:testkit", "agent-runtime:mcp", "agent-runtime:code", "agent-runtime:spring-boot-starter", "agent-runtime:bom", "deploy:server", "deploy:cli",
    "deploy:kubernetes", "deploy:image", "deploy:bench", "examples")
