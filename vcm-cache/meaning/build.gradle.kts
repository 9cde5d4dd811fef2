dependencies {
    api(project(":vcm-cache:pages"))
    api(libs.langchain4j.core)
    testImplementation(libs.logback.classic)
}
