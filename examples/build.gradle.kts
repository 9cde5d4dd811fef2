dependencies {
    api(project(":deploy:cli"))
    testImplementation(project(":agent-runtime:testkit"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:client", configuration = "testJar"))
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.langchain4j.open.ai)
    testImplementation(libs.testcontainers)
}

// The blueprint that a command reads.
tasks.processResources {
    from(projectDir) {
        include("impact.json")
    }
}
